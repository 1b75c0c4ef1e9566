"""Damaged manifests of benchmarks, and values that do not belong there."""

from __future__ import annotations

import random
from pathlib import Path

from fairtrial.benchmark.manifest import read_benchmark
from fairtrial.benchmark.protocols import list_experiments
from fuzzing.cases import Case, Target
from fuzzing.mutations import Files, damage

_PEOPLE = ("anna", "bert", "carl", "zoë")
_PAIRS = [(claim, subject) for claim in _PEOPLE for subject in _PEOPLE]


def _scores() -> Files:
    dice = random.Random(3)
    files: dict[str, str] = {}
    for name in ("a-dev.txt", "a-test.txt", "b-dev.txt", "b-test.txt"):
        files[name] = "".join(f"{c} {s} {s}-1 {(c == s) + dice.random():.3f}\n" for c, s in _PAIRS)
    for name in ("dev.csv", "test.csv"):
        rows = [f"{c},{s},{(c == s) + dice.random():.3f},{(c == s) + dice.random():.3f}\n" for c, s in _PAIRS]
        files[name] = "claim,subject,a,b\n" + "".join(rows)
    return {name: text.encode() for name, text in files.items()}


SCORES = _scores()
MANIFESTS = (
    """name = "lab"
title = "Our two systems"
citation = "We, 2024"
licence = "ours"
synthetic = true
never_paired = [["DCT", "PCA"]]
[[set]]
name = "P1"
read = { format = "bob4", nan = "drop", common = true }
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
dev = ["b-dev.txt"]
test = "b-t*.txt"
read = { person = "^(....?)" }
[[protocol]]
name = "mine"
[[protocol.fusion]]
systems = ["eigenfaces", "voice"]
group = "both"
set = "P1"
""",
    """name = "lab"
[[set]]
name = "P1"
dev = "dev.csv"
test = "test.csv"
read = { columns = { claim = "claim", subject = "subject" }, scores = ["a", "b"], negate = ["b"] }
[[set.system]]
name = "face"
modality = "face"
column = "a"
[[set.system]]
name = "b"
modality = "speech"
""",
    """name = "lab"
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
""",
)
_VALUES = (
    '""', '"x"', '"a"', "0", "-1", "1.5", "nan", "inf", "1e400", "99999999999999999999", "true", "[]", "[[]]", "[1]",
    '["a"]', "{}", "{ a = 1 }", "1979-05-27", "07:32:00", '"\\u0000"', '"\\u001B[2J"', '"a-dev.txt"', '"dev.csv"',
    '"*"', '"**"', '"[a"', '"../*"', '"."', '"benchmark.toml"', '"/dev/null"', '["dev.csv", "dev.csv"]', '"(["',
    "[" * 9,
)  # fmt: skip
_KEYS = (
    "name", "title", "set", "dev", "test", "scores", "read", "split", "system", "column", "modality", "never_paired",
    "protocol", "repeats", "fraction", "seed", "format", "person", "genuine_by", "negate", "columns", "\"\"",
)  # fmt: skip


def _other_value(rng: random.Random, text: str) -> str:
    """A value of another kind at some key, a key of another name, or a line more."""
    lines = text.split("\n")
    places = [place for place, line in enumerate(lines) if " = " in line]
    place = rng.choice(places)
    key, _, value = lines[place].partition(" = ")
    lines[place] = rng.choice(
        [
            f"{key} = {rng.choice(_VALUES)}",
            f"{rng.choice(_KEYS)} = {value}",
            f"{lines[place]}\n{rng.choice(_KEYS)} = {rng.choice(_VALUES)}",
        ]
    )
    return "\n".join(lines)


def make_manifest(seed: str) -> Case:
    """A manifest with other values or damaged bytes, or damaged scores beside it."""
    rng = random.Random(seed)
    text = rng.choice(MANIFESTS)
    how = rng.choice(["values", "values", "bytes", "scores"])
    if how == "values":
        for _ in range(rng.choice([1, 1, 2, 3])):
            text = _other_value(rng, text)
    files = {"benchmark.toml": text.encode()}
    if how == "bytes":
        files = damage(files, seed)[0]
    return Case(files | (damage(SCORES, seed)[0] if how == "scores" else SCORES), damage=how)


def read_manifest(folder: Path, case: Case) -> None:
    """Read the benchmark and list what each protocol would fuse."""
    benchmark = read_benchmark(folder)
    for protocol in ("fp-full", *benchmark.protocols):
        list_experiments(benchmark, protocol)


MANIFEST_TARGET = Target("manifests", make_manifest, read_manifest)
