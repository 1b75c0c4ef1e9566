"""Benchmarks of one's own: what a manifest can say, and what is wrong with one."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fairtrial import FairtrialError, InputError, ParameterError, Trials, TrialsError, run_benchmark
from fairtrial.benchmark.lausanne import load_lausanne
from fairtrial.benchmark.manifest import read_benchmark
from fairtrial.benchmark.protocols import Benchmark, BenchmarkSet, SystemInfo, list_experiments
from fairtrial.cli.app import main
from fairtrial.core.notes import Note
from fairtrial.formats import identities
from reference.fusion_2006 import DEV_GENUINE, DEV_IMPOSTOR, TEST_GENUINE, TEST_IMPOSTOR

PEOPLE = [f"p{k}" for k in range(8)]
Scores = dict[tuple[str, str], float]


def scores_of(seed: int) -> Scores:
    """A score for everybody against everybody, which a text file keeps exactly."""
    values = np.random.default_rng(seed).integers(0, 1000, size=(8, 8)) / 8
    return {(a, b): float(values[i, j]) for i, a in enumerate(PEOPLE) for j, b in enumerate(PEOPLE)}


def bob(scores: Scores, *, backwards: bool = False) -> str:
    """Four columns; a probe's order in the file is no matter."""
    pairs = sorted(scores, reverse=backwards)
    return "".join(f"{claim} {subject} {subject}-1 {scores[claim, subject]}\n" for claim, subject in pairs)


def csv(**systems: Scores) -> str:
    lines = [",".join(["claim", "subject", *systems])]
    lines += [",".join([*pair, *(str(scores[pair]) for scores in systems.values())]) for pair in A]
    return "\n".join(lines) + "\n"


A, B, C, D = (scores_of(seed) for seed in range(4))
ONE_FILE_EACH = """
name = "lab"
title = "Our two systems"
citation = "We, 2024"
licence = "ours"
synthetic = true
never_paired = [["DCT", "PCA"]]

[[set]]
name = "P1"

[[set.system]]
name = "eigenfaces"
modality = "face"
feature = "PCA"
classifier = "distance"
dev = "a-dev.txt"
test = "a-test.txt"

[[set.system]]
name = "voice"
modality = "speech"
dev = "b-dev.txt"
test = "b-test.txt"
"""
COLUMNS = """
name = "lab"

[[set]]
name = "P1"
dev = "dev.csv"
test = "test.csv"

[[set.system]]
name = "face"
modality = "face"
column = "a"

[[set.system]]
name = "b"
modality = "speech"
"""
NO_DEV = """
name = "lab"

[[set]]
name = "P1"
scores = "dev.csv"

[set.split]
repeats = 3
fraction = 0.5
seed = 4

[[set.system]]
name = "a"
modality = "face"

[[set.system]]
name = "b"
modality = "speech"
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write a manifest beside good score files."""
    for name, content in {
        "a-dev.txt": bob(A),
        "b-dev.txt": bob(B, backwards=True),
        "a-test.txt": bob(C, backwards=True),
        "b-test.txt": bob(D),
        "dev.csv": csv(a=A, b=B, c=C),
        "test.csv": csv(c=B, b=D, a=C),
    }.items():
        (tmp_path / name).write_text(content)

    def write_manifest(text: str) -> Path:
        (tmp_path / "benchmark.toml").write_text(text)
        return tmp_path

    return write_manifest


def found(benchmark: Benchmark, side: str, system: str) -> Scores:
    """The scores of the first set by claim and subject."""
    trials = getattr(benchmark.sets[0], side)
    claim, subject = (trials.ids[field].decode().tolist() for field in ("claim", "subject"))
    return dict(zip(zip(claim, subject, strict=True), trials.column(system).tolist(), strict=True))


def test_a_file_for_each_system_in_any_order(write: Callable[[str], Path]) -> None:
    benchmark = read_benchmark(write(ONE_FILE_EACH))
    assert (benchmark.name, benchmark.title, benchmark.citation, benchmark.licence, benchmark.synthetic) == (
        "lab",
        "Our two systems",
        "We, 2024",
        "ours",
        True,
    )
    assert benchmark.never_paired == (("DCT", "PCA"),)
    (one,) = benchmark.sets
    assert one.systems == (
        SystemInfo("eigenfaces", "face", "PCA", "distance"),
        SystemInfo("voice", "speech", "voice", "voice"),
    )
    assert one.dev.systems == one.test.systems == ("eigenfaces", "voice")
    assert (one.name, one.split, one.dev.genuine.sum(), len(one.dev)) == ("P1", None, 8, 64)
    for side, system, expected in (("dev", "eigenfaces", A), ("dev", "voice", B), ("test", "eigenfaces", C)):
        assert found(benchmark, side, system) == expected
    assert found(benchmark, "test", "voice") == D
    assert [experiment.systems for experiment in list_experiments(benchmark)] == [("eigenfaces", "voice")]


def test_the_manifest_itself_may_be_named(write: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(ONE_FILE_EACH)
    (folder / "benchmark.toml").rename(folder / "mine.toml")
    monkeypatch.chdir(folder.parent)
    assert len(read_benchmark(f"{folder.name}/mine.toml").sets) == 1


def test_columns_of_the_same_files(write: Callable[[str], Path]) -> None:
    benchmark = read_benchmark(write(COLUMNS))
    (one,) = benchmark.sets
    assert benchmark.title == "lab"
    assert one.dev.systems == one.test.systems == ("face", "b")
    assert found(benchmark, "dev", "face") == A
    assert found(benchmark, "test", "face") == C
    assert found(benchmark, "test", "b") == D


def test_a_system_may_be_a_column_of_its_own_file(write: Callable[[str], Path]) -> None:
    text = ONE_FILE_EACH.replace('dev = "b-dev.txt"\ntest = "b-test.txt"', 'dev = "dev.csv"\ntest = "test.csv"')
    benchmark = read_benchmark(write(f'{text}column = "b"\n'))
    assert found(benchmark, "dev", "voice") == B
    assert found(benchmark, "dev", "eigenfaces") == A


def test_without_dev_there_are_splits(write: Callable[[str], Path]) -> None:
    benchmark = read_benchmark(write(NO_DEV))
    assert [(one.name, one.split) for one in benchmark.sets] == [("P1", 1), ("P1", 2), ("P1", 3)]
    for one in benchmark.sets:
        assert (len(one.dev), len(one.test), int(one.dev.genuine.sum())) == (16, 16, 4)
        assert one.dev.systems == ("a", "b")
    read, splits = benchmark.notes
    assert isinstance(read, Note)
    assert isinstance(splits, Note)
    assert (read.about, splits.about, splits.code) == ("P1", "P1", "splits")
    expected = {"repeats": 3, "seed": 4, "fraction": 0.5, "least": 32, "trials": 64}
    assert splits.values == expected
    whole = read_benchmark(write(NO_DEV.replace("[set.split]\nrepeats = 3\nfraction = 0.5\nseed = 4\n", "")))
    assert len(whole.sets) == 10


def test_scores_of_each_system_in_its_own_file(write: Callable[[str], Path]) -> None:
    text = NO_DEV.replace('scores = "dev.csv"', "")
    text = text.replace('"face"', '"face"\nscores = "a-dev.txt"').replace(
        '"speech"', '"speech"\nscores = ["b-dev.txt"]'
    )
    first, same = (read_benchmark(write(words)).sets[1].test for words in (text, NO_DEV))
    assert found(read_benchmark(write(text)), "test", "b").items() <= B.items()
    assert len(first) == len(same) == 16


def test_globs_and_lists_of_scores(write: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tmp_path / "with [brackets]"
    folder.mkdir()
    for system, scores in (("x", A), ("y", B)):
        for side in ("dev", "test"):
            parts: dict[str, list[str]] = {"gen": [], "imp": []}
            for (claim, subject), score in scores.items():
                parts["gen" if claim == subject else "imp"].append(f"{subject} {claim} {score}\n")
            for word, lines in parts.items():
                (folder / f"{system}-{side}-{word}.scores").write_text("".join(lines))
    text = ONE_FILE_EACH.replace('"a-dev.txt"', '"x-dev-*.scores"').replace('"a-test.txt"', '"x-test-*.scores"')
    text = text.replace('"b-dev.txt"', '["y-dev-gen.scores", "y-dev-imp.scores"]')
    text = text.replace('"b-test.txt"', '"y-test-*"')
    (folder / "benchmark.toml").write_text(text)
    benchmark = read_benchmark(folder)
    assert found(benchmark, "dev", "eigenfaces") == found(benchmark, "test", "eigenfaces") == A
    assert found(benchmark, "test", "voice") == B


def test_options_of_reading(write: Callable[[str], Path], tmp_path: Path) -> None:
    lines = [f"{a};{b};{'same' if a == b else 'spoof' if b == 'p0' else 'other'};{A[a, b]}" for a, b in A]
    (tmp_path / "odd.csv").write_text("\n".join(["who;real;kind;distance", *lines]) + "\n")
    read = """
[set.system.read]
format = "csv"
negate = true
columns = { claim = "who", subject = "real", label = "kind" }
scores = ["distance"]
genuine_labels = ["same"]
impostor_labels = ["other"]
"""
    text = ONE_FILE_EACH.split("[[set.system]]")
    manifest = "[[set.system]]".join(text[:2]).replace("a-dev.txt", "odd.csv").replace("a-test.txt", "odd.csv") + read
    benchmark = read_benchmark(write(manifest))
    expected = {pair: -score for pair, score in A.items() if pair[0] == pair[1] or pair[1] != "p0"}
    assert found(benchmark, "dev", "eigenfaces") == expected
    notes = [str(note) for note in benchmark.notes]
    assert "P1, dev: 7 trials with label spoof were left out" in notes
    distances = [note for note in benchmark.notes if isinstance(note, Note) and note.code == "distances"]
    assert distances
    assert all(note.values == {"names": ["distance"]} for note in distances)


def test_a_systems_options_go_before_its_sets(write: Callable[[str], Path]) -> None:
    text = ONE_FILE_EACH.replace('name = "P1"', 'name = "P1"\nread = { negate = true }')
    benchmark = read_benchmark(write(f"{text}read = {{ negate = false }}\n"))
    assert found(benchmark, "dev", "eigenfaces") == {pair: -score for pair, score in A.items()}
    assert found(benchmark, "dev", "voice") == B


def test_common_trials_of_files_that_differ(write: Callable[[str], Path], tmp_path: Path) -> None:
    folder = write(ONE_FILE_EACH)
    (tmp_path / "b-dev.txt").write_text("".join(bob(B).splitlines(keepends=True)[1:]))
    with pytest.raises(TrialsError, match=r"set P1: trial claim p0, subject p0.* is not in .*b-dev.txt"):
        read_benchmark(folder)
    text = ONE_FILE_EACH.replace('name = "P1"', 'name = "P1"\nread = { common = true }')
    benchmark = read_benchmark(write(text))
    assert found(benchmark, "dev", "voice") == {pair: score for pair, score in B.items() if pair != ("p0", "p0")}
    assert "P1, dev: dropped 1 trial that not all systems have, 63 are left" in map(str, benchmark.notes)


def test_two_sets(write: Callable[[str], Path]) -> None:
    second = COLUMNS.split("\n\n", 1)[1].replace('"P1"', '"P2"')
    benchmark = read_benchmark(write(ONE_FILE_EACH + second))
    assert [(one.name, one.dev.systems) for one in benchmark.sets] == [
        ("P1", ("eigenfaces", "voice")),
        ("P2", ("face", "b")),
    ]


def swap(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


SPLIT = "[set.split]"
IN_SET = "set P1: "
FACE = "set P1: system eigenfaces: "


@pytest.mark.parametrize(
    ("text", "kind", "code", "place"),
    [
        ("name = lab", InputError, "not-toml", ""),
        ("", InputError, "missing-key", "name "),
        ('name = ""', InputError, "value", "name "),
        ('name = "lab"', InputError, "missing-key", "set "),
        ('name = "lab"\nset = "P1"', InputError, "value", "set "),
        ('name = "lab"\nset = ["P1"]', InputError, "value", "set "),
        ('name = "lab"\nset = []', InputError, "value", "set "),
        ('name = "lab"\nauthor = "me"', InputError, "unknown-key", "there is no key 'author'"),
        ('name = "lab"\n[[set]]\nname = "P1"', InputError, "missing-key", f"{IN_SET}system "),
        ('name = "lab"\n[[set]]\ndev = "x"', InputError, "missing-key", "set number 1: name "),
        (swap(ONE_FILE_EACH, '"lab"', "7"), InputError, "value", "name "),
        (swap(ONE_FILE_EACH, "= true", '= "yes"'), InputError, "value", "synthetic "),
        (swap(ONE_FILE_EACH, '"PCA"]', "3]"), InputError, "value", "never_paired "),
        (swap(ONE_FILE_EACH, ', "PCA"]', "]"), InputError, "value", "never_paired "),
        (swap(ONE_FILE_EACH, '[["DCT", "PCA"]]', "3"), InputError, "value", "never_paired "),
        (swap(ONE_FILE_EACH, "modality", "mode"), InputError, "unknown-key", f"{FACE}there is no key 'mode'"),
        (swap(ONE_FILE_EACH, 'modality = "face"', ""), InputError, "missing-key", f"{FACE}modality "),
        (swap(ONE_FILE_EACH, '"voice"', '"eigenfaces"'), InputError, "named-twice", FACE),
        (swap(ONE_FILE_EACH, '"voice"', '""'), InputError, "value", f"{IN_SET}system number 2: name "),
        (swap(ONE_FILE_EACH, '"a-dev.txt"', '"x-dev.txt"'), InputError, "input", FACE),
        (swap(ONE_FILE_EACH, '"a-dev.txt"', "[]"), InputError, "value", f"{FACE}dev "),
        (swap(ONE_FILE_EACH, '"a-dev.txt"', "1"), InputError, "value", f"{FACE}dev "),
        (swap(ONE_FILE_EACH, 'test = "a-test.txt"', ""), InputError, "files", FACE),
        (swap(ONE_FILE_EACH, 'dev = "b-dev.txt"\ntest', "scores"), InputError, "files", IN_SET),
        (
            swap(ONE_FILE_EACH, 'dev = "b-dev.txt"\ntest = "b-test.txt"', ""),
            InputError,
            "files",
            f"{IN_SET}system voice: ",
        ),
        (swap(ONE_FILE_EACH, 'name = "P1"', 'name = "P1"\nscores = "dev.csv"'), InputError, "files", FACE),
        (swap(ONE_FILE_EACH, 'name = "P1"', 'name = "P1"\nsplit = { seed = 1 }'), InputError, "split", IN_SET),
        (ONE_FILE_EACH + ONE_FILE_EACH[ONE_FILE_EACH.index("[[set]]") :], InputError, "named-twice", IN_SET),
        (swap(COLUMNS, '"a"', '"x"'), TrialsError, "no-system", f"{IN_SET}system face: "),
        (swap(COLUMNS, '"b"', '"voice"'), TrialsError, "no-system", f"{IN_SET}system voice: "),
        (swap(COLUMNS, 'test = "test.csv"', ""), InputError, "files", IN_SET),
        (swap(COLUMNS, 'column = "a"', "read = { negate = true }"), InputError, "files", f"{IN_SET}system face: "),
        (swap(COLUMNS, 'test = "test.csv"', 'test = "a-test.txt"'), TrialsError, "no-system", f"{IN_SET}system "),
        (swap(ONE_FILE_EACH, '"a-dev.txt"', '"dev.csv"'), TrialsError, "no-system", FACE),
        (swap(NO_DEV, "repeats = 3", "repeats = true"), InputError, "value", f"{IN_SET}split: repeats "),
        (swap(NO_DEV, "repeats = 3", "repeats = 0"), ParameterError, "parameter", IN_SET),
        (swap(NO_DEV, "fraction = 0.5", 'fraction = "half"'), InputError, "value", f"{IN_SET}split: fraction "),
        (swap(NO_DEV, "fraction = 0.5", "fraction = nan"), InputError, "value", f"{IN_SET}split: fraction "),
        (swap(NO_DEV, "seed", "random"), InputError, "unknown-key", f"{IN_SET}split: there is no key 'random'"),
        (swap(NO_DEV, SPLIT, f"[set.read]\nnegated = 1\n{SPLIT}"), InputError, "unknown-key", f"{IN_SET}read: "),
        (swap(NO_DEV, SPLIT, f"[set.read]\nnegate = 1\n{SPLIT}"), InputError, "value", f"{IN_SET}read: negate "),
        (
            swap(NO_DEV, SPLIT, f"[set.read]\ncolumns = {{ claim = 1.5 }}\n{SPLIT}"),
            InputError,
            "value",
            f"{IN_SET}read: columns ",
        ),
        (
            swap(NO_DEV, SPLIT, f'[set.read]\ncolumns = {{ who = "claim" }}\n{SPLIT}'),
            ParameterError,
            "parameter",
            IN_SET,
        ),
        (swap(NO_DEV, SPLIT, f'[set.read]\nnan = "skip"\n{SPLIT}'), ParameterError, "unknown", IN_SET),
        (swap(NO_DEV, SPLIT, f'[set.read]\nformat = "xls"\n{SPLIT}'), ParameterError, "unknown", IN_SET),
    ],
)
def test_what_is_wrong_is_said(
    write: Callable[[str], Path], text: str, kind: type[FairtrialError], code: str, place: str
) -> None:
    """The error begins with the file and the place in it, and names the key."""
    with pytest.raises(kind) as error:
        read_benchmark(write(text))
    assert error.value.code == code
    assert str(error.value).startswith(f"{write(text) / 'benchmark.toml'}: {place}")


def test_labels_that_disagree(write: Callable[[str], Path], tmp_path: Path) -> None:
    folder = write(ONE_FILE_EACH)
    lines = ["claim,subject,label,score", *(f"{a},{b},{int(a != b)},{B[a, b]}" for a, b in B)]
    (tmp_path / "b-dev.txt").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"set P1: system voice: .*b-dev.txt, row 1: the label says impostor, but"):
        read_benchmark(folder)


def test_scores_without_ids_cannot_be_put_side_by_side(write: Callable[[str], Path], tmp_path: Path) -> None:
    folder = write(ONE_FILE_EACH.replace(".txt", "-*.list"))
    for stem in ("a-dev", "a-test", "b-dev", "b-test"):
        for word in ("gen", "imp"):
            (tmp_path / f"{stem}-{word}.list").write_text("1.5\n2.5\n")
    with pytest.raises(TrialsError, match=r"set P1: .* have no id column in common"):
        read_benchmark(folder)


def test_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "benchmark.toml").mkdir()
    (tmp_path / "odd.toml").write_bytes(b'name = "\xff"')
    for place, code in (
        (tmp_path / "empty", "no-manifest"),
        (tmp_path / "nowhere", "no-manifest"),
        (tmp_path, "input"),
        (tmp_path / "odd.toml", "not-toml"),
    ):
        with pytest.raises(InputError) as error:
            read_benchmark(place)
        assert error.value.code == code


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (ONE_FILE_EACH, ["a-dev.txt", "a-test.txt", "b-dev.txt", "b-test.txt"]),
        (ONE_FILE_EACH.replace('"a-dev.txt"', '"a-d*.txt"'), ["a-dev.txt", "a-test.txt", "b-dev.txt", "b-test.txt"]),
        (COLUMNS, ["dev.csv", "test.csv"]),
        (NO_DEV, ["dev.csv"]),
    ],
)
def test_the_benchmark_knows_the_files_it_is_from(write: Callable[[str], Path], text: str, names: list[str]) -> None:
    folder = write(text)
    assert read_benchmark(folder).files == tuple(folder / name for name in ["benchmark.toml", *names])


LISTED = """
[[protocol]]
name = "ours"

[[protocol.fusion]]
systems = ["face", "b"]
group = "the pair we sell"
"""


def test_a_protocol_of_a_manifest(tmp_path: Path) -> None:
    for name in ("dev", "test"):
        (tmp_path / f"{name}.csv").write_text(csv(a=A, b=B))
    (tmp_path / "benchmark.toml").write_text(COLUMNS + LISTED)
    found = list_experiments(read_benchmark(tmp_path), "ours")
    assert [(e.set, e.group, e.systems) for e in found] == [("P1", "the pair we sell", ("face", "b"))]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('["face", "b"]', '["face"]', "listed-fusion"),
        ('["face", "b"]', '["face", "face"]', "listed-fusion"),
        ('["face", "b"]', '["face", "iris"]', "listed-fusion"),
        ('group = "the pair we sell"', 'set = "P9"', "listed-fusion"),
        ('group = "the pair we sell"', "size = 2", "unknown-key"),
        ('name = "ours"', 'name = ""', "value"),
        ("[[protocol.fusion]]", "[[protocol.pair]]", "unknown-key"),
        ('group = "the pair we sell"', f"{LISTED}", "named-twice"),
    ],
)
def test_a_protocol_of_a_manifest_that_is_wrong(old: str, new: str, code: str, tmp_path: Path) -> None:
    for name in ("dev", "test"):
        (tmp_path / f"{name}.csv").write_text(csv(a=A, b=B))
    (tmp_path / "benchmark.toml").write_text(COLUMNS + LISTED.replace(old, new))
    with pytest.raises(InputError) as error:
        read_benchmark(tmp_path)
    assert error.value.code == code


def test_people_within_ids_and_further_columns_of_a_manifest(write: Callable[[str], Path], tmp_path: Path) -> None:
    folder = write(NO_DEV.replace("[set.split]", '[set.read]\nperson = "^p."\nothers = ["c"]\n\n[set.split]'))
    benchmark = read_benchmark(folder)
    for one in benchmark.sets:
        assert one.dev.systems == ("a", "b")
        assert list(one.dev.columns) == ["c"]
        assert len(one.dev.columns["c"]) == len(one.dev)
        assert "model" in one.dev.ids


def test_columns_by_number_and_a_key_of_a_manifest(write: Callable[[str], Path], tmp_path: Path) -> None:
    for side, (one, other) in {"dev": (A, B), "test": (C, D)}.items():
        rows = "".join(f"{pair[1]} {pair[0]} {one[pair]} {other[pair]}\n" for pair in A)
        (tmp_path / f"{side}.scores").write_text(rows)  # subject claim score score, as in the XM2VTS release
        labels = "".join(f"{a} {b}-1 {'target' if a == b else 'nontarget'}\n" for a, b in A)
        (tmp_path / f"{side}.key").write_text(labels)
        for name, scores in (("one", one), ("other", other)):
            (tmp_path / f"{name}-{side}").write_text("".join(f"{a} {b}-1 {scores[a, b]}\n" for a, b in A))
    system = '[[set.system]]\nname = "{}"\nmodality = "{}"\n'
    numbered = system.format("b", "speech") + "column = 4\n" + system.format("a", "face") + "column = 3\n"
    files = 'dev = "dev.scores"\ntest = "test.scores"\n'
    benchmark = read_benchmark(write(f'name = "lab"\n[[set]]\nname = "P1"\n{files}{numbered}'))
    assert benchmark.sets[0].dev.systems == ("b", "a")
    assert (found(benchmark, "dev", "a"), found(benchmark, "test", "b")) == (A, D)

    keyed = '[set.read]\nkey = ["dev.key", "test.key"]\n'
    for name in ("one", "other"):
        keyed += system.format(name, name) + f'dev = "{name}-dev"\ntest = "{name}-test"\n'
    benchmark = read_benchmark(write(f'name = "lab"\n[[set]]\nname = "P1"\n{keyed}'))
    assert benchmark.sets[0].test.column("other").tolist() == [D[pair] for pair in A]
    assert benchmark.sets[0].dev.genuine.tolist() == [a == b for a, b in A]
    assert {"dev.key", "test.key"} <= {path.name for path in benchmark.files}
    (tmp_path.parent / "outside.key").write_text("")
    with pytest.raises(InputError) as caught:
        read_benchmark(write(f'name = "lab"\n[[set]]\nname = "P1"\n{keyed.replace("dev.key", "../outside.key")}'))
    assert caught.value.code == "outside"


def test_a_pattern_of_a_manifest_that_takes_too_long_is_an_error(
    write: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identities, "_SECONDS", 0.5)
    long = "a" * 40
    (tmp_path / "a-dev.txt").write_text(f"{long}! {long}! 1 .9\n{long}! b 2 .1\n")
    with pytest.raises(FairtrialError) as caught:
        read_benchmark(
            write(ONE_FILE_EACH.replace('test = "a-test.txt"', 'test = "a-test.txt"\nread = {person = "^(a+)+$"}'))
        )
    assert caught.value.code == "slow-pattern"


FEW = 12
"""Clients of the files."""


def small() -> dict[str, BenchmarkSet]:
    """Some clients of the synthetic set, with people numbered as in the release."""
    found = {}
    for one in load_lausanne().sets:
        parts = []
        for part in (one.dev, one.test):
            claims, subjects = part.ids["claim"].decode(), part.ids["subject"].decode()
            clients = sorted({*one.dev.ids["claim"].decode()})[:FEW]
            rows = np.flatnonzero(np.isin(claims, clients))
            names = {name: str(k) for k, name in enumerate(sorted({*claims, *subjects}))}
            claim, subject = ([names[name] for name in column[rows]] for column in (claims, subjects))
            scores = np.round(part.scores[rows].astype(np.float64), 6)
            parts.append(
                Trials.from_arrays(scores, part.genuine[rows], systems=part.systems, claim=claim, subject=subject)
            )
        found[one.name] = BenchmarkSet(one.name, parts[0], parts[1], one.systems)
    return found


def lines(trials: Trials, rows: np.ndarray, *, nobody: bool = False) -> str:
    claims, subjects = trials.ids["claim"].decode(), trials.ids["subject"].decode()
    return "".join(
        f"{'0' if nobody and not trials.genuine[k] else subjects[k]} {claims[k]} "
        + " ".join(f"{score:f}" for score in trials.scores[k])
        + "\n"
        for k in np.flatnonzero(rows)
    )


def write_release(folder: Path, *, nobody: bool = False) -> None:
    """LP1 with one file per set, LP2 with one per class, gzipped, in the author's words for protocols."""
    sets = small()
    (folder / "LP1").mkdir()
    for name, part in (("dev", sets["LP1"].dev), ("eva", sets["LP1"].test)):
        text = lines(part, np.ones(len(part), dtype=bool), nobody=nobody)
        (folder / "LP1" / f"{name}.scores").write_text(text)
    for name, part in (("dev", sets["LP2"].dev), ("eva", sets["LP2"].test)):
        (folder / "PII" / name).mkdir(parents=True)
        for word, rows in (("gen", part.genuine), ("imp", ~part.genuine)):
            text = lines(part, rows, nobody=nobody)
            (folder / "PII" / name / f"{word}.scores.gz").write_bytes(gzip.compress(text.encode()))


def test_released_files_are_the_trials_they_were_made_of(tmp_path: Path) -> None:
    write_release(tmp_path)
    found = read_benchmark(tmp_path)
    assert [one.name for one in found.sets] == ["LP1", "LP2"]
    assert not found.synthetic
    for one, expected in zip(found.sets, small().values(), strict=True):
        assert one.systems == expected.systems
        for part, before in ((one.dev, expected.dev), (one.test, expected.test)):
            order = np.argsort(~before.genuine, kind="stable") if one.name == "LP2" else np.arange(len(before))
            np.testing.assert_array_equal(part.scores, before.scores[order])
            np.testing.assert_array_equal(part.genuine, before.genuine[order])
            for role in ("claim", "subject"):
                assert part.ids[role].decode().tolist() == before.ids[role].decode()[order].tolist()
    notes = [note for note in found.notes if isinstance(note, Note)]
    counts = {
        note.about: (note.values["expected_genuine"], note.values["expected_impostor"])
        for note in notes
        if note.code == "other-counts"
    }
    for name, genuine in DEV_GENUINE.items():
        assert counts.pop(f"{name}, dev") == (genuine, DEV_IMPOSTOR)
        assert counts.pop(f"{name}, test") == (TEST_GENUINE, TEST_IMPOSTOR)
    assert not counts
    assert "column-order" in [note.code for note in notes]
    assert len(found.files) == 6


def test_all_32_experiments_with_one_command(tmp_path: Path) -> None:
    write_release(tmp_path)
    result = CliRunner().invoke(main, ["benchmark", "--data", str(tmp_path), "--json"], catch_exceptions=False)
    values = json.loads(result.stdout)
    assert len(values["experiments"]) == 32
    made = Benchmark("x", "x", tuple(small().values()), never_paired=(("DCTs", "DCTb"), ("LFCC", "PAC")))
    expected = run_benchmark(made, points=2)
    assert [e["hter"] for e in values["experiments"]] == [e.counts.hter for e in expected.experiments]


def test_impostors_under_one_id_are_unknown(tmp_path: Path) -> None:
    write_release(tmp_path, nobody=True)
    found = read_benchmark(tmp_path)
    for one in found.sets:
        assert list(one.dev.ids) == list(one.test.ids) == ["claim"]
    assert [note.code for note in found.notes if isinstance(note, Note)].count("one-impostor") == 2
    result = run_benchmark(found, points=2)
    assert {e.interval.method for e in result.experiments} == {"cluster-claim"}


@pytest.mark.parametrize("nobody", [False, True])
def test_impostor_ids_mean_the_same_through_a_manifest(tmp_path: Path, nobody: bool) -> None:
    """The files of LP2 as released, and described by a manifest: the same ids, intervals and p values."""
    write_release(tmp_path, nobody=nobody)
    released = read_benchmark(tmp_path).only(["LP2"])
    text = 'name = "mine"\nnever_paired = [["LFCC", "PAC"]]\n[[set]]\nname = "LP2"\nread = { genuine_by = "label" }\n'
    text += 'dev = "PII/dev/*.scores.gz"\ntest = "PII/eva/*.scores.gz"\n'
    for number, system in enumerate(released.sets[0].systems, start=1):
        entries = {**system.to_dict(), "column": f"system {number}"}
        text += "[[set.system]]\n" + "".join(f'{key} = "{value}"\n' for key, value in entries.items())
    (tmp_path / "benchmark.toml").write_text(text)
    described = read_benchmark(tmp_path)
    a, b = (run_benchmark(each, points=2) for each in (released, described))
    assert [e.test.p_value for e in a.experiments] == [e.test.p_value for e in b.experiments]
    assert [e.interval for e in a.experiments] == [e.interval for e in b.experiments]


def test_what_does_not_go_together(tmp_path: Path) -> None:
    write_release(tmp_path)
    (tmp_path / "LP1" / "eva.scores").unlink()
    with pytest.raises(InputError, match="LP1 has no files of test"):
        read_benchmark(tmp_path)
    (tmp_path / "LP1" / "eva.scores").write_text("1 1 .5 .5\n1 2 .1 .2\n")
    with pytest.raises(InputError, match="2 columns of scores, but LP1 has 8 systems"):
        read_benchmark(tmp_path)
    (tmp_path / "LP1" / "eva.scores").write_text("1 .5\n")
    with pytest.raises(InputError) as caught:
        read_benchmark(tmp_path)
    assert caught.value.code == "columns-unclear"
    (tmp_path / "PII" / "dev" / "imp.scores.gz").unlink()
    (tmp_path / "LP1" / "dev.scores").unlink()
    (tmp_path / "LP1" / "eva.scores").unlink()
    with pytest.raises(InputError, match=r"expected one file of all accesses, or one of clients \(gen\)"):
        read_benchmark(tmp_path)
    (tmp_path / "PII" / "test-gen.scores").write_text("1 1 .5 .5\n")
    with pytest.raises(InputError, match="there are two files of LP2, test"):
        read_benchmark(tmp_path)


def test_a_directory_without_score_files_still_asks_for_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "LP1").mkdir()
    (tmp_path / "LP1" / "readme.txt").write_text("nothing")
    with pytest.raises(InputError) as error:
        read_benchmark(tmp_path)
    assert error.value.code == "no-manifest"
