"""Trials read in pieces give the figures of the same trials in memory, to the last bit, however they are cut."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairtrial as ft
from fairtrial.counting import pieces as opened
from fairtrial.counting.pieces import answer_together
from mortal import Mortal
from strategies import score_arrays

FEW = "64MB"


@pytest.fixture
def as_if_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some thousand scores are searched as billions would be: by cells, and few scores gathered."""
    monkeypatch.setattr(opened, "SORT_AT_ONCE", 0)


def make(seed: int, size: int = 4000, dtype: Any = np.float64, *, ids: bool = False) -> ft.Trials:
    """Trials of two systems, sorted by the score of the first: parts are as unlike as can be."""
    rng = np.random.default_rng(seed)
    genuine = rng.random(size) < 0.3
    scores = (rng.normal(size=(size, 2)) + np.array([2.0, 1.5]) * genuine[:, None]).astype(dtype)
    order = np.argsort(scores[:, 0])
    people: dict[str, Any] = {
        "claim": [f"p{k % 40}" for k in range(size)],
        "subject": [f"p{k % 40}" if own else f"q{k % 30}" for k, own in enumerate(genuine[order])],
    }
    return ft.Trials.from_arrays(scores[order], genuine[order], systems=["face", "voice"], **(people if ids else {}))


def test_one_system_is_named_by_itself_or_in_a_sequence(tmp_path: Path) -> None:
    ft.write_trials(make(0), tmp_path / "a.csv")
    for systems in ("voice", ["voice"]):
        assert ft.open_trials(tmp_path / "a.csv", systems=systems).systems == ("voice",)


def same_figures(dev: Any, test: Any, open_dev: Any, open_test: Any) -> None:
    """Thresholds, curves, errors and EERs are the same bits."""
    for system in ("face", "voice"):
        for criterion in ("wer-min", "wer-equal", "eer", "far"):
            whole, pieces = (
                ft.performance_curve(*sets, system=system, criterion=criterion, alphas=[0.0, 0.01, 0.3, 0.5, 1.0])
                for sets in ((dev, test), (open_dev, open_test))
            )
            assert np.array_equal(whole.threshold, pieces.threshold), (system, criterion)
            assert np.array_equal(whole.counts.false_accepts, pieces.counts.false_accepts)
            assert np.array_equal(whole.counts.false_rejects, pieces.counts.false_rejects)
        for definition in ("step-mean", "interpolated", "rocch"):
            whole_eer = ft.equal_error_rate(test, system=system, definition=definition)
            assert ft.equal_error_rate(open_test, system=system, definition=definition).value == whole_eer.value


@pytest.mark.usefixtures("as_if_large")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parquet_in_row_groups(tmp_path: Path, dtype: type) -> None:
    sets = [make(seed, dtype=dtype) for seed in (1, 2)]
    files = [tmp_path / f"{name}.parquet" for name in ("dev", "test")]
    for trials, file in zip(sets, files, strict=True):
        table = pa.table({"label": trials.genuine, **{name: trials.column(name) for name in trials.systems}})
        pq.write_table(table, file, row_group_size=300)
    same_figures(*sets, *(ft.open_trials(file, memory=FEW) for file in files))


@pytest.mark.usefixtures("as_if_large")
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "csv.zst"])
def test_text_in_blocks(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairtrial.counting.pieces._LEAST_READ", 5000)
    monkeypatch.setattr("fairtrial.counting.pieces._SHARE", 10**5)
    monkeypatch.setattr("fairtrial.formats.text._LEAST", 1000)
    sets = [make(seed, 1500, ids=True) for seed in (1, 2)]
    files = [tmp_path / f"{name}.{ending}" for name in ("dev", "test")]
    for trials, file in zip(sets, files, strict=True):
        ft.write_trials(trials, file)
    found = [ft.open_trials(file, memory=FEW) for file in files]
    same_figures(*sets, *found)
    if ending == "csv":
        assert "parts" in repr(found[0])


@pytest.mark.usefixtures("as_if_large")
def test_bob_files_are_parts_of_one_set(tmp_path: Path) -> None:
    trials = make(3, 1200, ids=True).select(["face"])
    for k in range(3):
        ft.write_trials(trials.rows(np.arange(k, 1200, 3)), tmp_path / f"part-{k}.txt")
    found = ft.open_trials(str(tmp_path / "part-*.txt"), names="face", memory=FEW)
    whole = ft.evaluate(trials, trials, cluster="none")
    assert ft.evaluate(found, found).test == whole.test
    assert ft.evaluate(found, found).kind == "a posteriori"


@pytest.mark.usefixtures("as_if_large")
@settings(max_examples=50, deadline=None)
@given(scores=score_arrays(), pieces=st.integers(1, 7))
def test_any_scores_cut_anywhere(scores: tuple[np.ndarray, np.ndarray], pieces: int) -> None:
    genuine, impostor = scores
    every, flags = np.concatenate(scores), np.arange(len(genuine) + len(impostor)) < len(genuine)
    order = np.random.default_rng(len(every)).permutation(len(every))
    chunks = [(every[part], flags[part]) for part in np.array_split(order, pieces)]
    found = ft.open_trials(chunks)
    for criterion in ("wer-min", "eer", "wer-equal"):
        whole = ft.rules.choose_thresholds(scores, criterion, [0.0, 0.3, 1.0])
        part = ft.rules.choose_thresholds(found, criterion, [0.0, 0.3, 1.0])
        assert np.array_equal(whole.threshold, part.threshold)
        assert np.array_equal(whole.false_accepts, part.false_accepts)


def chunks_of(seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    trials = make(seed)
    for part in np.array_split(np.arange(len(trials)), 5):
        yield trials.scores[part], trials.genuine[part]


@pytest.mark.usefixtures("as_if_large")
def test_functions_arrays_maps_and_datasets(tmp_path: Path) -> None:
    sets = [make(seed) for seed in (1, 2)]
    names = ["face", "voice"]
    by_function = [ft.open_trials(partial(chunks_of, seed), systems=names, memory=FEW) for seed in (1, 2)]
    same_figures(*sets, *by_function)
    maps = []
    for k, trials in enumerate(sets):
        place = np.lib.format.open_memmap(tmp_path / f"{k}.npy", mode="w+", dtype=np.float64, shape=trials.scores.shape)
        place[:] = trials.scores
        place.flush()
        maps.append(np.load(tmp_path / f"{k}.npy", mmap_mode="r"))
    by_map = [ft.open_trials(own, trials.genuine, systems=names) for own, trials in zip(maps, sets, strict=True)]
    same_figures(*sets, *by_map)
    for k, trials in enumerate(sets):
        table = pa.table({"label": trials.genuine, **{name: trials.column(name) for name in names}})
        pq.write_table(table, tmp_path / f"{k}.parquet", row_group_size=700)
    datasets = [ds.dataset(tmp_path / f"{k}.parquet") for k in range(2)]
    same_figures(*sets, *(ft.open_trials(own) for own in datasets))


def test_addresses_go_through_fsspec(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    trials = make(1, 600)
    table = pa.table({"label": trials.genuine, **{name: trials.column(name) for name in trials.systems}})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=100)
    found = ft.open_trials(f"file://{tmp_path}/a.parquet")
    assert ft.equal_error_rate(found, system="face").value == ft.equal_error_rate(trials, system="face").value
    with pytest.raises(ft.InputError, match=r"file://.*nothing\.parquet: cannot be read"):
        ft.open_trials(f"file://{tmp_path}/nothing.parquet")


def test_a_curve_takes_two_passes_over_dev_and_one_over_test(tmp_path: Path) -> None:
    sets = [make(seed, 60_000) for seed in (1, 2)]
    found = [ft.open_trials(own.scores, own.genuine, systems=own.systems) for own in sets]
    ft.performance_curve(*found, system="face")
    assert [own.passes for own in found] == [2, 1]
    ft.performance_curve(*found, system="face", criterion="eer")
    assert [own.passes for own in found] == [3, 2]  # dev's cells are known by now


def test_all_systems_and_criteria_share_the_same_passes() -> None:
    sets = [make(seed, 60_000) for seed in (1, 2)]
    dev, test = (ft.open_trials(own.scores, own.genuine, systems=own.systems) for own in sets)

    def curve(system: str, criterion: str) -> ft.PerformanceCurve:
        return ft.performance_curve(dev, test, system=system, criterion=criterion)

    asked = [(system, criterion) for system in ("face", "voice") for criterion in ("wer-min", "wer-equal", "far")]
    found = answer_together([partial(curve, *each) for each in asked])
    assert (dev.passes, test.passes) == (3, 1)  # wer-equal is searched for at its ends apart
    for (system, criterion), each in zip(asked, found, strict=True):
        whole = ft.performance_curve(*sets, system=system, criterion=criterion)
        assert np.array_equal(each.threshold, whole.threshold)
        assert np.array_equal(each.hter, whole.hter)


class Flaky(Executor):
    """Every task fails the first time for a reason of its worker, as one that was killed."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self.failed = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        sent = pickle.dumps((fn, args))
        if sent not in self.seen:
            self.seen.add(sent)
            self.failed += 1
            future.set_exception(ConnectionError("the worker is gone"))
            return future
        work, arguments = pickle.loads(sent)
        try:
            future.set_result(work(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.mark.usefixtures("as_if_large")
def test_executors_give_the_same_bits(tmp_path: Path) -> None:
    sets = [make(seed, 1500) for seed in (1, 2)]
    files = [tmp_path / f"{name}.parquet" for name in ("dev", "test")]
    for trials, file in zip(sets, files, strict=True):
        table = pa.table({"label": trials.genuine, **{name: trials.column(name) for name in trials.systems}})
        pq.write_table(table, file, row_group_size=100)
    flaky = Flaky()
    with ThreadPoolExecutor(3) as threads:
        for executor in (threads, flaky):
            same_figures(*sets, *(ft.open_trials(file, memory=FEW, executor=executor) for file in files))
    assert flaky.failed > 20


def test_a_killed_process_changes_nothing(tmp_path: Path) -> None:
    trials = make(1, 1500)
    table = pa.table({"label": trials.genuine, **{name: trials.column(name) for name in trials.systems}})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=100)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = ft.open_trials(tmp_path / "a.parquet", executor=Mortal(pool, tmp_path / "killed"))
        curve = ft.performance_curve(found, found, system="face")
    assert (tmp_path / "killed").exists()
    whole = ft.performance_curve(trials, trials, system="face")
    assert np.array_equal(curve.threshold, whole.threshold)
    assert np.array_equal(curve.hter, whole.hter)


class Late(Executor):
    """Tasks end in the order of a key, well after all were submitted."""

    def __init__(self, order: Callable[[int], int]) -> None:
        self.order = order
        self.tasks: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.tasks.append((future, partial(fn, *args)))
        if len(self.tasks) == 1:
            Timer(0.1, self.run).start()
        return future

    def run(self) -> None:
        for place in sorted(range(len(self.tasks)), key=self.order):
            future, work = self.tasks[place]
            future.set_result(work())
            time.sleep(0.02)


def test_notes_do_not_depend_on_which_part_is_read_first(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"# {name}\nx x p{name} .9\nx y q{name} .1\n" * (1 + (name == "b")))
    found = [
        ft.open_trials([tmp_path / "a.txt", tmp_path / "b.txt"], executor=Late(order)) for order in (abs, int.__neg__)
    ]
    notes = [[str(note) for note in trials.notes] for trials in found]
    assert notes[0] == notes[1]
    assert sum("comments" in note for note in notes[0]) == 2


class Lost(Executor):
    """Every task fails, always."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(ConnectionError("the worker is gone"))
        return future


def test_what_cannot_be_counted_is_one_error() -> None:
    trials = make(1, 100)
    found = ft.open_trials(trials.scores, trials.genuine, executor=Lost())
    with pytest.raises(ft.InputError, match=r"after 4 attempts the error is ConnectionError: the worker is gone"):
        len(found)


def write_groups(file: Path, groups: list[pa.Table]) -> None:
    with pq.ParquetWriter(file, groups[0].schema) as writer:
        for group in groups:
            writer.write_table(group)


def group(genuine: list[bool], scores: list[float]) -> pa.Table:
    return pa.table({"label": pa.array(genuine, pa.bool_()), "face": pa.array(scores, pa.float64())})


def test_odd_parts(tmp_path: Path) -> None:
    """Empty parts, a class missing in most parts, parts of very different sizes."""
    parts = [
        group([False] * 50, list(np.linspace(0, 1, 50))),
        group([], []),
        group([True], [0.9]),
        group([True], [0.7]),
    ]
    write_groups(tmp_path / "a.parquet", parts)
    found = ft.open_trials(tmp_path / "a.parquet")
    assert (found.genuine, found.impostor) == (2, 50)
    whole = ft.read_trials(tmp_path / "a.parquet")
    assert ft.equal_error_rate(found).value == ft.equal_error_rate(whole).value


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([group([True], [1.0]), group([False], [np.nan])], r"a\.parquet, row group 1, row 1: the score of face is NaN"),
        ([group([True], [1.0]), group([True], [0.0])], r"a\.parquet: there is no impostor trial"),
    ],
)
def test_what_is_wrong_in_a_part_is_named(tmp_path: Path, groups: list[pa.Table], message: str) -> None:
    write_groups(tmp_path / "a.parquet", groups)
    found = ft.open_trials(tmp_path / "a.parquet")
    with pytest.raises(ft.FairtrialError, match=message):
        ft.equal_error_rate(found)


def test_a_damaged_row_group_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    groups = [group(list(rng.random(500) < 0.5), list(rng.normal(size=500))) for _ in range(4)]
    write_groups(tmp_path / "a.parquet", groups)
    data = bytearray((tmp_path / "a.parquet").read_bytes())
    place = pq.read_metadata(tmp_path / "a.parquet").row_group(2).column(1).data_page_offset
    data[place : place + 40] = b"\xff" * 40
    (tmp_path / "a.parquet").write_bytes(data)
    with pytest.raises(ft.InputError, match=r"a\.parquet, row group 2: is not a complete Parquet file"):
        ft.equal_error_rate(ft.open_trials(tmp_path / "a.parquet"))


def test_a_file_that_disappears_is_one_error(tmp_path: Path) -> None:
    trials = make(1, 300)
    ft.write_trials(trials, tmp_path / "a.parquet")
    found = ft.open_trials(tmp_path / "a.parquet")
    assert len(found) == 300
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(ft.InputError, match=r"a\.parquet, row group 0"):
        ft.equal_error_rate(found, system="face")


def test_labels_of_two_codings_in_two_parts(tmp_path: Path) -> None:
    for k, (label, words) in enumerate((("1", "0"), ("1", "-1"))):
        (tmp_path / f"{k}.csv").write_text(f"label,face\n{label},0.9\n{words},0.1\n")
    with pytest.raises(ft.InputError, match="labels are mixed: -1, 0, 1"):
        len(ft.open_trials(str(tmp_path / "*.csv")))
    (tmp_path / "0.csv").write_text("label,face\nyes,0.9\nyes,0.8\n")
    (tmp_path / "1.csv").write_text("label,face\nno,0.1\n")
    found = ft.open_trials(str(tmp_path / "*.csv"), genuine_labels="yes", impostor_labels="no")
    assert (found.genuine, found.impostor) == (2, 1)
    with pytest.raises(ft.InputError, match="there is no label 'never'"):
        len(ft.open_trials(str(tmp_path / "*.csv"), genuine_labels="yes", impostor_labels="never"))


def test_lines_are_counted_from_the_beginning_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairtrial.counting.pieces._LEAST_READ", 200)
    monkeypatch.setattr("fairtrial.counting.pieces._SHARE", 10**6)
    monkeypatch.setattr("fairtrial.formats.text._LEAST", 100)
    lines = ["label,face", *(f"{k % 2},0.{k:03}" for k in range(200))]
    lines[150] = "1,what"
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(ft.InputError, match=r"a\.csv, line 151: column face should be a number"):
        len(ft.open_trials(tmp_path / "a.csv"))


def test_missing_scores_are_dropped_for_all_systems(tmp_path: Path) -> None:
    text = "label,face,voice\n1,.9,.8\n1,,.7\n0,.1,\n0,.2,.3\n0,.4,.1\n"
    (tmp_path / "a.csv").write_text(text)
    found = ft.open_trials(tmp_path / "a.csv", nan="drop")
    whole = ft.read_trials(tmp_path / "a.csv", nan="drop")
    for system in ("face", "voice"):
        counts = [ft.counting.count_errors(data, 0.25, system=system) for data in (found, whole)]
        assert counts[0].to_dict() == counts[1].to_dict()


def test_memory_is_read_like_other_sizes() -> None:
    opened = [ft.open_trials(np.zeros(3), np.ones(3, bool), memory=memory) for memory in ("1GB", "100MiB", 1 << 27)]
    assert [each.memory for each in opened] == [1 << 30, 100 << 20, 1 << 27]


def test_people_who_give_something_else() -> None:
    with pytest.raises(ft.ParameterError, match="a generator gives its chunks only once"):
        ft.open_trials(chunks_of(1))
    with pytest.raises(ft.ParameterError, match=r"memory must be a number of bytes, as in 500MB or 4GB, not 'lots'"):
        ft.open_trials(np.zeros(3), np.ones(3, bool), memory="lots")
    with pytest.raises(ft.TrialsError, match="need a boolean array genuine"):
        ft.open_trials(np.zeros(3), np.ones(2, bool))
    with pytest.raises(ft.TrialsError, match=r"part 0, chunk 0: the score of system system in trial 2 is NaN"):
        len(ft.open_trials([(np.array([1.0, np.nan]), np.array([True, False]))]))


def test_what_needs_all_scores_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = make(1, 500)
    found = ft.open_trials(trials.scores, trials.genuine, systems=trials.systems)
    monkeypatch.setattr(opened, "_BYTES_FOR_EACH", 10**9)
    with pytest.raises(ft.TrialsError, match=r"needs all 500 scores of face in memory at once"):
        ft.rules.choose_thresholds(found, ft.Criterion("own", lambda counts, alpha: counts.far), 0.5, system="face")


def test_the_page_of_a_pass(tmp_path: Path) -> None:
    trials = make(1, 1000)
    ft.write_trials(trials, tmp_path / "a.parquet")
    seen: list[ft.counting.PassState] = []
    found = ft.open_trials(tmp_path / "a.parquet", progress=seen.append)
    assert len(found) == 1000
    assert (seen[0].number, seen[0].rows, seen[0].read) == (1, 0, 0)
    assert (seen[-1].rows, seen[-1].read) == (1000, seen[-1].size)
