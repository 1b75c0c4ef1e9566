"""Damaged score files of every format: each is read, or refused with one short FairtrialError; and the quick
reader of text never says other than the careful one.

A failure names the sample and the seed; ``damage(SAMPLES[sample], seed)`` makes the files again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import fairtrial.formats.text as text_module
from fairtrial.core.errors import FairtrialError, InputError
from fairtrial.core.trials import Trials
from fairtrial.formats.files import Head, read_head
from fairtrial.formats.read import read_trials, write_trials
from fairtrial.formats.text import Layout
from fuzzing.mutations import COMPRESSED, Files, damage
from fuzzing.readers import READERS, make_reading
from fuzzing.readings import DELIMITERS, KINDS, NAMES, Comparison, difference, difference_from_oracle, read_twice
from fuzzing.samples import BINARY, REAL_NAMES, SAMPLES, SYNTHETIC, TEXTS
from fuzzing.watching import watch

INPUTS = 130
"""Damaged inputs a sample; binary ones are quick, so there are more of them."""


def _store(files: Files, folder: Path) -> list[Path]:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in files]


def _sample(name: str) -> Files:
    if name not in SAMPLES:
        pytest.skip("the real score files are absent: no ../shared/data, and FAIRTRIAL_DATA does not name them")
    return SAMPLES[name]


def _complaint_of_input(seed: str, folder: Path) -> str | None:
    """What is wrong with reading and evaluating the input of this seed, `sample/compression/number`."""
    _sample(seed.split("/")[0])
    case = make_reading(seed)
    complaint = READERS.run(case, folder).complaint
    return None if complaint is None else f"seed {seed}: {case.damage}; {case.words}: {complaint}"


def _report(complaints: Iterable[str | None]) -> None:
    new = [found for found in complaints if found]
    assert not new, f"{len(new)} inputs:\n" + "\n".join(new[:8])


@pytest.mark.parametrize("sample", sorted(SYNTHETIC))
def test_undamaged_samples_are_read(sample: str, tmp_path: Path) -> None:
    trials = read_trials(_store(SAMPLES[sample], tmp_path))
    assert len(trials) == (9 if sample.startswith("matrix") else 18)
    assert trials.genuine.any()


@pytest.mark.parametrize("sample", [*SYNTHETIC, *REAL_NAMES])
def test_damaged_files_are_read_or_refused(sample: str, tmp_path: Path) -> None:
    seeds = [f"{sample}/plain/{number}" for number in range(8 * INPUTS if sample in BINARY else INPUTS)]
    _report(_complaint_of_input(seed, tmp_path) for seed in seeds)


@pytest.mark.parametrize("compression", sorted(COMPRESSED))
@pytest.mark.parametrize("sample", TEXTS)
def test_damaged_compressed_files_are_read_or_refused(sample: str, compression: str, tmp_path: Path) -> None:
    seeds = [f"{sample}/{compression}/{number}" for number in range(INPUTS // 2)]
    _report(_complaint_of_input(seed, tmp_path) for seed in seeds)


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet", ".npz", ".txt"])
def test_what_was_read_from_damaged_files_is_written_and_read_back_the_same(ending: str, tmp_path: Path) -> None:
    complaints: list[str | None] = []
    inputs = 0
    target = tmp_path / f"out{ending}"
    for sample in ("bob4", "csv-wide", "csv-quoted", "lists", "npz"):
        for number in range(60):
            seed = f"{sample}/write/{number}"
            files, done, _ = damage(SAMPLES[sample], seed)
            try:
                trials = read_trials(_store(files, tmp_path))
            except Exception:  # the tests above tell which of them are allowed
                continue
            inputs += 1

            if ending == ".txt":
                trials = trials.select(trials.systems[:1])

            def use(trials: Trials = trials) -> None:
                target.unlink(missing_ok=True)
                try:
                    write_trials(trials, target)
                except FairtrialError:
                    return
                _assert_same(read_trials(target), trials)

            complaint = watch(use).complaint
            complaints.append(None if complaint is None else f"seed {seed}: {done}: {complaint}")
    assert inputs > 50
    _report(complaints)


def _assert_same(found: Trials, expected: Trials) -> None:
    assert found.scores.tolist() == expected.scores.tolist()
    assert found.genuine.tolist() == expected.genuine.tolist()
    for name, column in expected.ids.items():
        assert found.ids[name].decode().tolist() == column.decode().tolist(), name


@pytest.fixture
def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str | None]]:
    """How the readers differ on the files of a seed that the quick one reads: a complaint or None for each."""
    pairs: list[Comparison] = []
    quick = text_module._read_quickly

    def read(head: Head, layout: Layout, progress: Any) -> dict[str, Any] | None:
        pair = read_twice(head, layout, quick)
        pairs.extend([pair] if pair else [])
        return dict(pair[0]) if pair else None

    monkeypatch.setattr(text_module, "_read_quickly", read)

    def compare_on(seed: str) -> list[str | None]:
        files, done, _ = damage(_sample(seed.split("/")[0]), seed)
        pairs.clear()
        with contextlib.suppress(Exception):  # the tests above tell which of them are allowed
            read_trials(_store(files, tmp_path), nan="drop")
        found = [difference(pair) for pair in pairs]
        return [complaint and f"seed {seed}: {done}: {complaint}" for complaint in found]

    return compare_on


Compare = Callable[[str], list[str | None]]


@pytest.mark.parametrize("sample", TEXTS)
def test_quick_and_slow_reader_on_damaged_text(sample: str, compare: Compare) -> None:
    complaints = [found for number in range(INPUTS) for found in compare(f"{sample}/plain/{number}")]
    assert len(complaints) > 10, "hardly a file was read by the quick reader: nothing was compared"
    _report(complaints)


ODD = "ab1.#\"'\\,; \t\x0b\x0c\x1c\x85\xa0\u2028\ufeffé"
IDS = st.text(st.sampled_from(ODD), max_size=4)
ANY = st.text(st.one_of(st.sampled_from(ODD + "\n\r\x00"), st.characters(exclude_categories=["Cs"])), max_size=5)
NUMBERS = st.sampled_from(
    ["0.5", "-1", "1e5", ".5", "5.", "+1", "1e999", "-0", "nan", "-nan", "nan(x)", "inf", "Infinity", "0x1", "1d3",
     "1e", "1_0", "", " 1", "1 ", '"1"', "\u0663", "1\x0b", "1\x00", "0.1000000000000000055511151231257827"]
)  # fmt: skip
LINES = st.lists(
    st.tuples(IDS, IDS, IDS, NUMBERS, st.sampled_from(["\n", "\r\n", "\r", "\n\n"])), min_size=1, max_size=4
)


def _text(lines: list[tuple[str, ...]], delimiter: str, *, header: bool) -> str:
    first = delimiter.join(NAMES) + "\n" if header else ""
    return first + "".join(delimiter.join(line[:-1]) + line[-1] for line in lines)


@pytest.mark.parametrize(("delimiter", "header"), [(" ", False), ("\t", False), ("\t", True), (",", True)])
@given(lines=LINES)
@example(lines=[("a", "a", "a\x1c", "0.5", "\n")])
@example(lines=[("", "a", "a", "0.5", "\n")])
@example(lines=[("a", "a", "a", "0.5", "\n"), ("a", "a", "a", "nan(x)", "\n")])
@example(lines=[("a", "a", "a", "0.5", "\n"), ('"', "", "", "0.5", "\r\n"), ('"', "", "", "0.5", "\n")])
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_quick_and_slow_reader_on_odd_text(
    delimiter: str, header: bool, tmp_path: Path, lines: list[tuple[str, ...]]
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(_text(lines, delimiter, header=header).encode())
    try:
        head = read_head(path)
    except InputError:
        return
    pair = read_twice(
        head, Layout(dict(zip(NAMES, KINDS, strict=True)), delimiter, header=header), text_module._read_quickly
    )
    assert pair is None or difference(pair) is None


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(".csv"),
        pytest.param(".tsv.gz"),
        pytest.param(".npz"),
        pytest.param(".txt"),
        ".parquet",
    ],
)
@given(ids=st.lists(st.tuples(ANY, ANY, ANY), min_size=1, max_size=4))
@example(ids=[("a", "b", "a\x00")])
@example(ids=[("a", "b", "a\rb")])
@example(ids=[("a", "b", "a\nb")])
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_odd_ids_are_read_back_as_they_were_written_or_refused(
    ending: str, tmp_path: Path, ids: list[tuple[str, ...]]
) -> None:
    target = tmp_path / f"out{ending}"
    claim, subject, probe = zip(*ids, strict=True)
    genuine = [a == b for a, b in zip(claim, subject, strict=True)]
    trials = Trials.from_arrays(
        np.arange(len(ids)) / 3, genuine, systems=["face"], claim=claim, subject=subject, probe=probe
    )
    target.unlink(missing_ok=True)
    try:
        write_trials(trials, target)
    except FairtrialError:
        assert not target.exists()
    else:
        _assert_same(read_trials(target), trials)


MORE_NUMBERS = st.one_of(
    NUMBERS,
    st.sampled_from(["9007199254740993", "9007199254740992", "1e400", "-1e309", '"0.5', '0.5"', '"0.5"x', "1,2"]),
)
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", ""])
MORE_LINES = st.lists(st.tuples(IDS, IDS, IDS, MORE_NUMBERS, ENDS), min_size=1, max_size=6)


@pytest.mark.parametrize(("delimiter", "header"), DELIMITERS)
@given(lines=MORE_LINES)
@example(lines=[("a", "a", "p", "0.5", "\n"), ("a", "b", '"p', "0.5", "\n"), ("a", "a", "p", "0.5", "\n")])
@example(lines=[("a", "a", "p", "0.5", "\n"), ("a", "b", '"p', '0.5"', "\n")])
@example(lines=[("a", "a", "p", "9007199254740993", "\n")])
@example(lines=[("a", "a", "p", "1e400", "")])
@example(lines=[("", "", "#", "0.5", "\n"), ("", "", "", "0.5", "\n")])
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_readers_against_an_oracle(
    delimiter: str, header: bool, tmp_path: Path, lines: list[tuple[str, ...]]
) -> None:
    path = tmp_path / "a.txt"
    text = _text(lines, delimiter, header=header)
    path.write_bytes(text.encode())
    assert difference_from_oracle(path, delimiter, header=header) is None, repr(text)
