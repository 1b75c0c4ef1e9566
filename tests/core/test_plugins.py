"""What other packages add by entry points: known by name, loaded late, and no harm where one is broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

import fairtrial as ft
from fairtrial.core import registry as plugins
from fairtrial.core.registry import Registry, left_out_plugins
from fairtrial.formats import registry

SOURCE = Path(ft.__file__).parents[1]
COLOURS = "[fairtrial.colours]\n"
PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"


def install(folder: Path, package: str, entries: str, module: str) -> None:
    """What pip leaves of a package: its module and its metadata."""
    information = folder / f"{package}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(entries)
    (folder / f"{package}.py").write_text(module)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_left_out", {})
    return tmp_path


def colours() -> Registry[str]:
    return Registry("colour", "colours", str, {"red": "#f00"})


def test_a_plugin_is_loaded_when_its_name_is_asked_for(folder: Path) -> None:
    install(folder, "paintbox", COLOURS + "blue = paintbox:BLUE", "BLUE = '#00f'")
    install(folder, "tint", COLOURS + "pale = tint:PALE", "PALE = '#eee'")
    known = colours()
    assert known["red"] == "#f00"
    assert "blue" in known
    assert not {"paintbox", "tint"} & set(sys.modules)
    assert known["blue"] == "#00f"
    assert "tint" not in sys.modules
    assert list(known.items()) == [("red", "#f00"), ("blue", "#00f"), ("pale", "#eee")]
    assert len(known) == 3
    assert dict(known.registered) == {"red": "#f00"}
    with pytest.raises(KeyError):
        known["mauve"]


@pytest.mark.parametrize(
    ("entry", "module", "why"),
    [
        ("x = broken:X", "import no_such_library", "ModuleNotFoundError: No module named 'no_such_library'"),
        ("x = broken:X", "raise SystemExit(3)", "SystemExit: 3"),
        ("x = broken:X", "1 +", "SyntaxError: "),
        ("x = broken:Y", "X = 'x'", "AttributeError: "),
        ("x = broken:X", "X = 3", "broken:X is not a str but a int"),
    ],
)
def test_a_broken_plugin_is_named_and_does_no_harm(folder: Path, entry: str, module: str, why: str) -> None:
    install(folder, "broken", COLOURS + entry, module)
    sys.modules.pop("broken", None)
    known = colours()
    assert known["red"] == "#f00"
    with pytest.raises(ft.ParameterError, match=r"the colour .x. of broken 1\.0 cannot be used: ") as caught:
        known["x"]
    assert why in str(caught.value)
    assert "uninstall it" in str(caught.value)
    with pytest.warns(UserWarning, match="the colour 'x' of broken 1.0"):
        assert list(known) == ["red"]
    assert len(left_out_plugins()) == 1
    with warnings.catch_warnings():  # it is said once
        warnings.simplefilter("error")
        assert list(known.values()) == ["#f00"]


def test_no_plugin_changes_what_a_name_means(folder: Path) -> None:
    install(folder, "loud", COLOURS + "red = loud:RED\nblue = loud:BLUE", "RED, BLUE = '#f11', '#11f'")
    install(folder, "louder", COLOURS + "blue = louder:BLUE", "BLUE = '#22f'")
    known = colours()
    with pytest.warns(UserWarning, match="is not used") as told:
        assert dict(known) == {"red": "#f00", "blue": "#11f"}
    assert [str(each.message) for each in told] == [
        "the colour 'blue' of louder 1.0 is not used, as loud 1.0 has one",
        "the colour 'red' of loud 1.0 is not used, as fairtrial has one",
    ]


def test_a_plugin_has_the_name_of_its_entry_point(folder: Path) -> None:
    module = "from fairtrial import Criterion\nRULE = Criterion('other', lambda counts, alpha: counts.far)"
    install(folder, "misnamed", "[fairtrial.criteria]\nmine = misnamed:RULE", module)
    known = Registry("criterion", "criteria", ft.Criterion)
    with pytest.raises(ft.ParameterError, match="misnamed:RULE calls itself 'other'"):
        known["mine"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example as pip installs it (`.ci/package` lets pip do so), and beside it packages that cannot be loaded."""
    target = tmp_path_factory.mktemp("installed")
    given = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]["entry-points"]
    entries = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in own.items()) for group, own in given.items()
    )
    install(target, "fairtrial_example", entries, (PLUGIN / "fairtrial_example.py").read_text())
    for group in ("formats", "criteria", "measures", "fusions", "protocols"):
        install(target, f"broken_{group}", f"[fairtrial.{group}]\nbroken = broken_{group}:X", "import no_such_library")
    return target


def run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{installed}", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """The same trials as JSON and as a table, of two systems."""
    rng = np.random.default_rng(5)
    for name in ("dev", "test"):
        people = [f"p{k}" for k in range(15)]
        trials = [(c, s, *(rng.normal(size=2) + 1.5 * (c == s) + 6).round(4).tolist()) for c in people for s in people]
        lines = [json.dumps({"claim": c, "subject": s, "score": a}) for c, s, a, _ in trials]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        table = "".join(f"{c},{s},{a},{b}\n" for c, s, a, b in trials)
        (tmp_path / f"{name}.csv").write_text(f"claim,subject,face,voice\n{table}")
    return tmp_path


USED = """
import json, sys
import fairtrial as ft
benchmark = ft.benchmark.load_lausanne()
dev, test = ft.read_pair("dev.csv", "test.csv")
assert "fairtrial_example" not in sys.modules
fused = ft.fuse(dev, test, fusion="geometric")
experiments = ft.benchmark.list_experiments(benchmark, "one-modality-left-out")
ft.write_trials(dev.select(["face"]), "again.jsonl")
print(json.dumps([
    fused.evaluation.test.hter, [sorted({name[:1] for name in e.systems}) for e in experiments],
    ft.read_trials("again.jsonl", format="jsonl").scores[:, 0].tolist() == dev.column("face").tolist(),
]))
"""


def test_the_example_is_used_from_python(installed: Path, scores: Path) -> None:
    found = run(installed, scores, "-W", "ignore", "-c", USED)
    assert found.stderr == ""
    hter, experiments, same = json.loads(found.stdout)
    dev, test = ft.read_pair(scores / "dev.csv", scores / "test.csv")
    together = [
        ft.Trials.from_arrays(np.sqrt(own.scores.prod(axis=1)), own.genuine, claim=own.claim, subject=own.subject)
        for own in (dev, test)
    ]
    expected = ft.evaluate(*together, criterion="wer-equal")
    assert hter == pytest.approx(expected.test.hter)
    assert all(len(modalities) == 1 for modalities in experiments)
    assert same is True


def test_the_example_is_used_from_the_command_line(installed: Path, scores: Path) -> None:
    words = "evaluate --dev dev.jsonl --test test.jsonl --format jsonl --criterion youden --measure mcc --json"
    found = run(installed, scores, "-m", "fairtrial", *words.split())
    (system,) = json.loads(found.stdout)["systems"]
    dev, test = (ft.read_trials(scores / f"{name}.csv", systems=["face"]) for name in ("dev", "test"))
    youden = [
        (own.column()[own.genuine] >= t).mean() - (own.column()[~own.genuine] >= t).mean()
        for own in [dev]
        for t in own.column()
    ]
    assert 1 - system["dev"]["far"] - system["dev"]["frr"] == pytest.approx(max(youden))
    accepted = test.column() > system["threshold"]
    assert system["test"]["measures"]["mcc"] == pytest.approx(matthews_corrcoef(test.genuine, accepted))
    assert found.stderr == ""


def test_a_format_of_a_plugin_is_told_where_no_other_fits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = """
import numpy as np
from fairtrial.formats import Format
from fairtrial.formats.sheets import Sheet
def read(heads, options, progress):
    return [Sheet("stars", np.array([[3.0], [1.0]]), np.array([True, False]), ("s",)) for head in heads]
STARS = Format("stars", "scores as stars", lambda heads: all(h.data.startswith(b"*") for h in heads), read, joint=True)
"""
    install(folder, "starry", "[fairtrial.formats]\nstars = starry:STARS", module)
    monkeypatch.setattr(registry, "FORMATS", Registry("format", "formats", ft.formats.Format, ft.FORMATS.registered))
    (folder / "a.csv").write_text("label,score\n1,3\n0,1\n")
    assert ft.read_trials(folder / "a.csv").scores.tolist() == [[3], [1]]
    assert "starry" not in sys.modules
    (folder / "a.txt").write_text("***\n*\n")
    assert ft.read_trials(folder / "a.txt").systems == ("s",)


def test_a_broken_plugin_spoils_no_other_command(installed: Path, scores: Path) -> None:
    sets = ["--dev", "dev.csv", "--test", "test.csv"]
    found = run(installed, scores, "-m", "fairtrial", "evaluate", *sets)
    assert (found.returncode, found.stderr) == (0, "")
    asked = run(installed, scores, "-m", "fairtrial", "fuse", *sets, "--fusion", "broken")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr.startswith("error: the fusion 'broken' of broken_fusions 1.0 cannot be used")
    listed = run(installed, scores, "-m", "fairtrial", "formats")
    assert "one JSON object per line" in listed.stdout
    assert listed.stderr.startswith("warning: the format 'broken'")


def test_a_calibration_of_another_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = (
        "from dataclasses import replace\n"
        "import fairtrial as ft\n"
        'MINE = replace(ft.CALIBRATIONS["logistic"], name="mine")\n'
    )
    install(folder, "calibrating", "[fairtrial.calibrations]\nmine = calibrating:MINE\n", module)
    monkeypatch.delitem(ft.CALIBRATIONS.__dict__, "_offered", raising=False)
    lp1 = ft.benchmark.load_lausanne().sets[0]
    system = lp1.dev.systems[0]
    mine, own = (ft.calibrate(lp1.dev, lp1.test, systems=[system], method=name) for name in ("mine", "logistic"))
    assert mine.test == own.test
    monkeypatch.delitem(ft.CALIBRATIONS.__dict__, "_offered")
