"""Data frames as trials: what pandas, polars and pyarrow hand over, wherever Trials are taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import fairtrial as ft
from fairtrial.formats import frames
from simulated import crossed


class Handed:
    """A data frame of some library: all that is known of it is the stream it hands over."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def frame_of(trials: ft.Trials) -> Handed:
    columns: dict[str, Any] = {name: column.decode().tolist() for name, column in trials.ids.items()}
    columns["label"] = trials.genuine
    columns |= {name: trials.column(name) for name in trials.systems}
    return Handed(pa.table(columns))


@pytest.fixture(scope="module")
def sets() -> tuple[ft.Trials, ft.Trials]:
    rng = np.random.default_rng(0)
    return crossed(rng, clients=20, impostors=8), crossed(rng, clients=20, impostors=8, start=100)


SMALL = {"claim": ["a", "b", "a"], "subject": ["a", "b", "b"], "face": [0.9, 0.8, 0.1], "age": [30, 40, 50]}


def test_frame_gives_the_trials_that_a_parquet_file_of_it_gives(tmp_path: Path) -> None:
    import pyarrow.parquet as parquet

    table = pa.table(SMALL)
    parquet.write_table(table, tmp_path / "scores.parquet")
    mine, other = ft.formats.read_frame(Handed(table)), ft.read_trials(tmp_path / "scores.parquet")
    assert np.array_equal(mine.scores, other.scores)
    assert np.array_equal(mine.genuine, other.genuine)
    assert mine.systems == other.systems == ("face",)
    assert all(mine.ids[name].same_as(other.ids[name]) for name in ("claim", "subject"))
    assert np.array_equal(np.asarray(mine.columns["age"]), [30, 40, 50])
    assert str(mine.notes[0]) == str(other.notes[0]).replace("read as parquet", "read as data frame")


def test_index_of_pandas_without_a_name_is_no_system() -> None:
    # what a pandas frame of which rows were chosen hands over
    found = ft.formats.read_frame(Handed(pa.table({**SMALL, "__index_level_0__": [4, 7, 9]})))
    assert found.systems == ("face",)
    assert "left out: __index_level_0__, the index" in str(found.notes[0])


def test_texts_and_categories_of_polars() -> None:
    # polars hands over views of texts, and categories of such views
    claim = pa.array(["a", "b", "a"], pa.string_view())
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1], pa.uint32()), pa.array(["a", "b"], pa.string_view()))
    found = ft.formats.read_frame(Handed(pa.table({**SMALL, "claim": claim, "subject": codes})))
    assert found.genuine.tolist() == [True, True, False]
    assert found.ids["subject"].decode().tolist() == ["a", "b", "b"]


@pytest.mark.parametrize("label", [[True, True, False], [1, 1, 0], ["target", "target", "nontarget"]])
def test_labels_of_any_type(label: list[Any]) -> None:
    assert ft.formats.read_frame(Handed(pa.table({"label": label, "score": SMALL["face"]}))).genuine.tolist() == [
        True,
        True,
        False,
    ]


def test_missing_scores_are_decided_upon() -> None:
    frame = Handed(pa.table({"label": [1, 0, 0], "face": [0.9, None, 0.1]}))
    with pytest.raises(ft.InputError, match="data frame, row 2: the score of face is NaN"):
        ft.formats.read_frame(frame)
    assert len(ft.formats.read_frame(frame, nan="drop")) == 2


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"label": [1, 0], "who": ["a", "b"]}, "there is no column of scores among label, who"),
        ({"face": [0.1, 0.2]}, "label"),
        ({"label": pa.array([], pa.int64()), "face": pa.array([], pa.float64())}, "holds no trial"),
    ],
)
def test_frame_that_is_no_set_of_trials(columns: dict[str, Any], words: str) -> None:
    with pytest.raises(ft.InputError, match=words) as caught:
        ft.evaluate(Handed(pa.table(columns)), Handed(pa.table(columns)))
    assert str(caught.value).startswith("dev, a data frame: ")
    assert ("those of read_frame" in str(caught.value)) == (words != "holds no trial")


def test_series_is_no_frame() -> None:
    with pytest.raises(ft.InputError, match="cannot be read as a table"):
        ft.formats.read_frame(pa.chunked_array([[1.0, 2.0]]))


def _fused(dev: Any, test: Any) -> Any:
    return ft.fuse(dev, test).evaluation.test


USES: dict[str, Callable[[Any, Any], Any]] = {
    "evaluate": lambda dev, test: ft.evaluate(dev, test, systems="a").test,
    "cross_validate": lambda dev, test: ft.evaluate(dev, folds=ft.inference.make_blocks(dev, 4), systems="a").test.hter,
    "compare": lambda dev, test: ft.compare(dev, test, n_resamples=20).pairs[0].counts_a,
    "performance_curve": lambda dev, test: ft.performance_curve(dev, test, system="a", alphas=[0.5]).hter.tolist(),
    "expected_areas": lambda dev, test: ft.evaluation.expected_areas(dev, test, system="a").g,
    "fuse": _fused,
    "apply": lambda dev, test: ft.fuse(dev, test).model.apply(test).scores.tolist(),
    "predict": lambda dev, test: ft.fusion.predict_fusions(dev, test).fusions[0].hter,
    "correlations": lambda dev, test: ft.fusion.system_correlations(dev).genuine.correlation.tolist(),
    "chimeric": lambda dev, test: ft.fusion.chimeric_study(dev, test, moved=["b"], assignments=1).mean,
    "points": lambda dev, test: ft.operating_points(dev, test, systems="a", far_targets=[0.1]).points[0].test,
    "sets": lambda dev, test: ft.inference.judge(ft.inference.TrialSets(dev, test), system="a").at(0),
    "eer": lambda dev, test: ft.equal_error_rate(test, system="a").value,
    "roc": lambda dev, test: ft.roc_curve(test, system="a").far.tolist(),
    "people": lambda dev, test: ft.Individuals.from_trials(test, 1.0, system="a").errors.tolist(),
}


@pytest.mark.parametrize("name", USES)
def test_frames_go_wherever_trials_go(name: str, sets: tuple[ft.Trials, ft.Trials]) -> None:
    assert USES[name](*map(frame_of, sets)) == USES[name](*sets)


def test_counter_counts_a_frame_and_a_series_with_labels(sets: tuple[ft.Trials, ft.Trials]) -> None:
    frame, trials = frame_of(sets[0]), sets[0]
    counters = [ft.Counter(["a", "b"]) for _ in range(2)]
    counters[0].update(frame)
    counters[1].update(trials)
    assert counters[0] == counters[1]
    column, alone = pa.chunked_array([trials.column("a")]), [ft.Counter(["a"]) for _ in range(2)]
    alone[0].update(column, trials.genuine)
    alone[1].update(trials.column("a"), trials.genuine)
    assert alone[0] == alone[1]


def test_what_was_taken_for_what_is_noted_in_the_result(sets: tuple[ft.Trials, ft.Trials]) -> None:
    notes = ft.evaluate(*map(frame_of, sets), systems="a").notes
    assert str(notes[0]) == "dev and test: read as data frame: scores a, b; label, claim, subject"


def test_no_data_frame_library_is_imported() -> None:
    source = Path(frames.__file__).read_text()
    assert "import pandas" not in source
    assert "import polars" not in source
