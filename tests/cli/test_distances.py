"""Distances: thresholds are those of the files, in what is printed, in what is written and in what is typed."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairtrial import calibrate, read_trials
from fairtrial.cli.app import main
from fairtrial.core.notes import Note

GENUINE, IMPOSTOR = (0.1, 0.2, 0.6, 0.3), (0.9, 0.7, 0.5, 0.8, 0.4)
"""Distances. Below 0.5 are three genuine trials and one impostor: errors nearest to equal, 1 of 4 and 1 of 5."""


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def read(*words: object) -> Any:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def distances(tmp_path: Path) -> Path:
    """Two systems: `gait` gives distances, and `face` 2 minus these as scores."""
    rows = [f"genuine,{d},{2 - d:.1f}" for d in GENUINE] + [f"impostor,{d},{2 - d:.1f}" for d in IMPOSTOR]
    path = tmp_path / "distances.csv"
    path.write_text("\n".join(["label,gait,face", *rows]) + "\n")
    return path


def test_the_threshold_is_a_distance(distances: Path, tmp_path: Path) -> None:
    sets = ("--dev", distances, "--test", distances, "--system", "gait", "--negate")
    (system,) = read("evaluate", *sets)["systems"]
    assert system["threshold"] == 0.5
    assert (system["test"]["false_accepts"], system["test"]["false_rejects"]) == (1, 1)
    out = tmp_path / "decisions.csv"
    assert run("evaluate", *sets, "--trials-out", out, "--out", tmp_path / "errors.csv").exit_code == 0
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["score"]) for row in rows] == [*GENUINE, *IMPOSTOR]
    assert {float(row["threshold"]) for row in rows} == {0.5}
    assert [row["decision"] for row in rows] == ["accept" if d < 0.5 else "reject" for d in (*GENUINE, *IMPOSTOR)]
    with open(tmp_path / "errors.csv", newline="") as file:
        assert {float(row["threshold"]) for row in csv.DictReader(file)} == {0.5}


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.15, 0.35, 0.4, 0.45, 0.9, 1.0, float("inf")])
def test_a_threshold_that_is_typed_is_a_distance(distances: Path, threshold: float) -> None:
    (system,) = read("evaluate", "--test", distances, "--system", "gait", "--negate", "--threshold", threshold)[
        "systems"
    ]
    assert float(system["threshold"]) == threshold
    assert system["test"]["false_accepts"] == sum(d < threshold for d in IMPOSTOR)
    assert system["test"]["false_rejects"] == sum(d >= threshold for d in GENUINE)


def test_scores_beside_distances(distances: Path) -> None:
    sets = ("--dev", distances, "--test", distances, "--negate-system", "gait")
    known = {system["system"]: system["threshold"] for system in read("evaluate", *sets)["systems"]}
    assert known == {"gait": 0.5, "face": 1.5}
    refusal = run("evaluate", *sets, "--threshold", 0.5, "--json")
    assert refusal.exit_code == 2
    assert json.loads(refusal.stdout)["error"]["code"] == "scores-and-distances"
    (system,) = read("evaluate", "--test", distances, "--system", "face", "--threshold", 1.5)["systems"]
    assert (system["test"]["false_accepts"], system["test"]["false_rejects"]) == (1, 1)


def test_errors_of_people_at_a_distance(tmp_path: Path) -> None:
    lines = [f"{person},{person},genuine,{distance}" for person in "abc" for distance in (0.1, 0.3, 0.7)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["claim,subject,label,gait", *lines, "a,b,impostor,0.9"]) + "\n")
    found = read("interval", "individuals", path, "--negate", "--threshold", 0.3)
    assert found["estimate"] == pytest.approx(2 / 3)  # 0.3 is not below 0.3


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same trials as scores and as distances."""
    folder, rng = tmp_path_factory.mktemp("both"), np.random.default_rng(5)
    known = {name: folder / f"{name}.csv" for name in ("scores", "distances")}
    rows = [(f"p{c}", f"p{s}", "fm"[c % 2], rng.normal(2 * (c == s), 1, 2)) for c in range(12) for s in range(12)] * 2
    for sign, path in zip((1, -1), known.values(), strict=True):
        lines = [f"{c},{s},{sex},{sign * a},{sign * b}" for c, s, sex, (a, b) in rows]
        path.write_text("\n".join(["claim,subject,sex,face,voice", *lines]) + "\n")
    return known


def numbers(entries: Any, system: str = "") -> Iterator[tuple[str, str, Any]]:
    """Give all numbers below their keys, with the system that they belong to."""
    if isinstance(entries, dict):
        system = entries.get("system", system)
        for key, entry in entries.items():
            if key != "notes":
                yield from ((own, inner or key, value) for own, inner, value in numbers(entry, system))
    elif isinstance(entries, list):
        for entry in entries:
            yield from numbers(entry, system)
    else:
        yield system, "", entries


@pytest.mark.parametrize(
    ("words", "turned"),
    [
        ("evaluate", {"face", "voice"}),
        ("evaluate --criterion wer-min --alpha .2 --folds 3", {"face", "voice"}),
        ("compare", {"face", "voice"}),
        ("epc --points 5", {"face", "voice"}),
        ("operating-points", {"face", "voice"}),
        ("groups --by sex --system face --own-thresholds", {"face"}),
        ("fuse", {"face", "voice"}),
    ],
)
def test_thresholds_of_all_commands(both: dict[str, Path], words: str, turned: set[str]) -> None:
    name, *options = words.split()
    found = {}
    for kind, path in both.items():
        sets = ["--dev", path] if "--folds" in options else ["--dev", path, "--test", path]
        more = ["--negate"] if kind == "distances" else []
        found[kind] = read(name, *sets, *options, *more)
        assert run(name, *sets, *options, *more, "--out", path.with_suffix(".md")).exit_code == 0
    seen = set()
    for (system, key, score), (_, _, distance) in zip(*map(list, map(numbers, found.values())), strict=True):
        own = key in ("threshold", "fold_thresholds") and not isinstance(score, str) and system in turned
        seen |= {system} if own else set()
        assert distance == (-score if own and score is not None else score), (system, key)
    assert seen == turned
    if name == "fuse":
        assert found["distances"]["threshold"] == found["scores"]["threshold"]  # that of the fused scores


@pytest.mark.parametrize("negate", [True, False])
def test_a_weight_is_said_to_multiply_minus_the_distance(distances: Path, negate: bool) -> None:
    trials = read_trials(distances, negate=negate)
    (parameters,) = (table for table in calibrate(trials, trials).tables() if table.name == "parameters")
    notes = [(note.code, note.about) for note in parameters.notes if isinstance(note, Note)]
    assert notes == [("of-distances", "gait, face")] * negate


def test_the_page_shows_distances(distances: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    sets = ("--dev", distances, "--test", distances, "--system", "gait", "--negate")
    assert run("evaluate", *sets, "--report", page).exit_code == 0
    assert '"asked":{"alpha":0.5,"threshold":0.5,' in page.read_text()


def test_a_known_set_is_not_read_by_options(tmp_path: Path, distances: Path) -> None:
    assert run("evaluate", "--data", "lausanne", "--set", "LP1", "--negate").exit_code == 2
    (tmp_path / "benchmark.toml").write_text(
        'name = "lab"\n[[set]]\nname = "S"\n[[set.system]]\nname = "gait"\n'
        'dev = "distances.csv"\ntest = "distances.csv"\n'
        'modality = "gait"\nread = { negate = true, scores = ["gait"] }\n'
    )
    result = run("evaluate", "--data", tmp_path, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["systems"][0]["threshold"] == 0.5


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate",),
        ("compare",),
        ("epc", "--points", "3"),
        ("operating-points", "--far", ".5"),
        ("fuse", "--fusion", "mean"),
        ("groups", "--system", "gait", "--by", "label"),
    ],
)
def test_distances_taken_for_scores_are_warned_of(distances: Path, command: tuple[str, ...]) -> None:
    if command[0] == "groups":
        rows = distances.read_text().splitlines()
        rows = [f"{rows[0]},site", *(f"{row},{'AB'[k % 2]}" for k, row in enumerate(rows[1:]))]
        distances.write_text("\n".join(rows) + "\n")
        command = (*command[:-1], "site")
    outcome = run(*command, "--dev", distances, "--test", distances)
    assert outcome.exit_code == 0, outcome.stderr
    assert "warning: gait: the EER on dev is" in outcome.output
    assert "face: the EER" not in outcome.output


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Distances around 40, of people who meet in one set."""
    path, rng = tmp_path_factory.mktemp("far") / "far.csv", np.random.default_rng(5)
    rows = [(c, s, 40 - rng.normal(2 * (c == s), 1, 2)) for c in range(12) for s in range(12)] * 2
    path.write_text("claim,subject,face,voice\n" + "".join(f"p{c},p{s},{a},{b}\n" for c, s, (a, b) in rows))
    return path


@pytest.mark.parametrize(
    ("figure", "systems", "in_units"),
    [
        ("diagnostic", "face", True),
        ("diagnostic", "face,voice", False),  # over the range of each
        ("scatter", "face,voice", True),
        ("zoo", "face", True),
        ("pav --scores --resamples 20", "face", True),
        ("llr-map", "face", True),
    ],
)
def test_figures_show_distances(far: Path, tmp_path: Path, figure: str, systems: str, in_units: bool) -> None:
    picture = tmp_path / "figure.svg"
    sets = ("--dev", far, "--test", far, "--systems", systems, "--negate")
    result = run("plot", *figure.split(), *sets, "--out", picture)
    assert result.exit_code == 0, result.output
    texts = re.findall("<!-- (.*) -->", picture.read_text())
    assert not [text for text in texts if re.match("\N{MINUS SIGN}[34]|\N{MINUS SIGN}0", text)]
    assert any(re.match("3[5-9]", text) for text in texts) == in_units
    assert "a trial is accepted if its distance is below the threshold" in result.stderr
    assert "-1.2" not in result.stderr


def test_the_map_of_a_calibration_is_along_distances(far: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("calibrate", "--dev", far, "--test", far, "--system", "face", "--negate", "--report", page)
    assert result.exit_code == 0, result.output
    chart = r'"map":{"scores":{"label":"score","low":([\d.]+),"high":([\d.]+).*?"llr":\[(.*?)\]'
    match = re.search(chart, page.read_text())
    assert match is not None
    low, high, llr = match.groups()
    assert 30 < float(low) < 40 < float(high)
    ratios = [float(ratio) for ratio in llr.split(",")]
    assert ratios == sorted(ratios, reverse=True)


def test_counts_of_distances_stay_distances(far: Path, tmp_path: Path) -> None:
    counts = tmp_path / "far.ftc"
    counted = read("count", far, "--negate", "--thresholds", "39", "--thresholds", "face=38,37", "--out", counts)
    assert counted["thresholds"] == {"face": [37, 38, 39], "voice": [39]}
    pair = ("--dev", counts, "--test", counts)
    from_files = read("evaluate", "--dev", far, "--test", far, "--negate")
    for one, other in zip(read("evaluate", *pair)["systems"], from_files["systems"], strict=True):
        assert one["test"]["false_accepts"] == other["test"]["false_accepts"]
        assert one["threshold"] == pytest.approx(other["threshold"])
        assert one["threshold"] > 30
    (fixed,) = read("evaluate", "--test", counts, "--system", "face", "--threshold", 38)["systems"]
    assert fixed["threshold"] == 38
    assert fixed["test"]["interval"]["method"] != "wilson"  # errors were counted there, by person
    assert "its distance is below" in json.dumps(counted["notes"])


def test_counts_say_what_they_hold(distances: Path, tmp_path: Path) -> None:
    path = tmp_path / "columns.csv"
    path.write_text("claim,subject,gait,sex\na,a,0.1,f\na,b,0.9,f\n")
    assert "kept besides" not in run("count", path, "--out", tmp_path / "columns.ftc").output
    words = (
        (("--negate",), "read similarities without --negate"),
        ((), "read distances with --negate"),
    )
    for more, advice in words:
        sign = -1 if more else 1
        rows = [f"genuine,{sign * d}" for d in GENUINE] + [f"impostor,{sign * d}" for d in IMPOSTOR]
        distances.write_text("\n".join(["label,gait", *rows]) + "\n")
        out = tmp_path / f"{sign}.ftc"
        assert run("count", distances, *more, "--out", out).exit_code == 0
        assert advice in " ".join(run("evaluate", "--dev", out, "--test", out).output.split())
    refusal = run("merge", tmp_path / "1.ftc", tmp_path / "-1.ftc", "--out", tmp_path / "both.ftc")
    assert refusal.exit_code == 2
    assert "counters of different distances cannot be merged: none and gait" in refusal.output


@pytest.mark.parametrize("method", ["logistic", "gaussian", "pav"])
def test_evidence_that_falls_is_advised_on_by_how_scores_were_read(far: Path, method: str) -> None:
    for more, advice in (((), "read distances with --negate"), (("--negate",), "read similarities without --negate")):
        path = far.with_name(f"turned{len(more)}.csv")
        rows = [line.split(",") for line in far.read_text().splitlines()[1:]]
        turned = [f"{c},{s},{-float(a) if more else a}" for c, s, a, _ in rows]
        path.write_text("\n".join(["claim,subject,gait", *turned]) + "\n")
        result = run("calibrate", "--dev", path, "--test", path, "--method", method, *more)
        warning = next(line for line in re.split("warning: ", result.output) if "evidence falls" in line)
        assert advice in " ".join(warning.split())
