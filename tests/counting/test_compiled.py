"""The compiled passes against NumPy's, bit by bit, on cells of every kind and scores of every kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairtrial.counting import kernels as plain
from fairtrial.counting.cells import CountedCells, fit_layout
from fairtrial.counting.kernels import Cells, fit_cells, position, refine_cells
from fairtrial.counting.tallies import Genuine, Scores, rank_tally
from strategies import anything, score_arrays, special, ties

pytest.importorskip("numba")
from fairtrial.counting import compiled

elements = st.sampled_from([ties, anything, st.one_of(ties, special), st.one_of(ties, special, anything)])
dtypes = st.sampled_from([np.float64, np.float32])


@st.composite
def chunks(draw: st.DrawFn) -> tuple[Scores, Genuine]:
    """Scores, often so many that bytes overflow and blocks end; with a mask or one class; at times every second."""
    with np.errstate(over="ignore"):
        few = np.array(draw(st.lists(draw(elements), min_size=1, max_size=40))).astype(draw(dtypes))
    scores = np.resize(few, draw(st.sampled_from([len(few), 300, 5000])))[:: draw(st.sampled_from([1, 2, -1]))]
    if draw(st.booleans()):
        scores.setflags(write=False)
    if draw(st.booleans()):
        return scores, draw(st.booleans())
    return scores, np.resize(np.array(draw(st.lists(st.booleans(), min_size=1, max_size=7))), len(scores))


@st.composite
def partitions(draw: st.DrawFn) -> Cells:
    """Even cells in value or in representable numbers, few or many, fitted or anywhere, divided up to twice."""
    if draw(st.booleans()):
        cells = fit_cells(np.array(draw(st.lists(draw(elements), max_size=60))), draw(st.sampled_from([1, 9, 20_000])))
    else:
        low = draw(st.floats(-10, 10))
        cells = Cells(low, draw(st.sampled_from([1e-300, 0.5, 3.7, 1e300])), 50, ordinal=draw(st.booleans()))
    for _ in range(draw(st.integers(0, 2))):
        ends = np.sort(draw(st.lists(st.floats(-9, 9), min_size=2, max_size=2)))
        lowest, highest = (np.full(cells.count, end) for end in position(ends, ordinal=cells.ordinal))
        cells = refine_cells(
            cells, lowest, highest, np.resize(draw(st.lists(st.integers(1, 9), min_size=1)), cells.count)
        )
    return cells


BOTH = (plain, compiled)


@settings(max_examples=150)
@given(partitions(), chunks())
def test_cells(cells: Cells, chunk: tuple[Scores, Genuine]) -> None:
    totals = [np.ones((2, cells.count), dtype=np.int64) for _ in BOTH]
    for passes, total in zip(BOTH, totals, strict=True):
        passes.sift(total, cells, None, *chunk)
        passes.sift(total, cells, None, *chunk)
    assert np.array_equal(totals[0], totals[1])
    assert totals[0].sum() == 2 * cells.count + 2 * len(chunk[0])


@settings(max_examples=150)
@given(st.lists(st.one_of(ties, special, anything), min_size=1, max_size=30), chunks())
def test_ranks(thresholds: list[float], chunk: tuple[Scores, Genuine]) -> None:
    ranks = rank_tally(np.unique(thresholds))
    totals = [ranks.start() for _ in BOTH]
    for passes, total in zip(BOTH, totals, strict=True):
        passes.count_ranks(total, ranks, *chunk)
    assert np.array_equal(totals[0], totals[1])
    above = [int(np.sum(chunk[0].astype(np.float64) > threshold)) for threshold in ranks.thresholds]
    assert np.cumsum(totals[1].sum(axis=0)[::-1])[::-1][1:].tolist() == above


@settings(max_examples=150)
@given(partitions(), chunks(), st.lists(st.booleans(), min_size=1, max_size=9), st.booleans())
def test_gathered_scores(cells: Cells, chunk: tuple[Scores, Genuine], pattern: list[bool], counted: bool) -> None:
    chosen = np.resize(np.array(pattern), cells.count)
    totals = [np.zeros((2, cells.count if counted else 0), dtype=np.int64) for _ in BOTH]
    found = [passes.sift(total, cells, chosen, *chunk) for passes, total in zip(BOTH, totals, strict=True)]
    check_same_bytes(chunk[0], *found)
    assert np.array_equal(totals[0], totals[1])
    if counted:
        assert sum(map(len, found[0])) + totals[0].sum() == len(chunk[0])
        assert not totals[0][:, chosen].any()


def check_same_bytes(scores: Scores, *found: tuple[Scores, Scores]) -> None:
    for ours, theirs in zip(*found, strict=True):
        assert ours.dtype == theirs.dtype == scores.dtype
        assert ours.tobytes() == theirs.tobytes()


@settings(max_examples=150)
@given(chunks(), st.lists(st.one_of(ties, special, anything), min_size=2, max_size=2))
def test_scores_between(chunk: tuple[Scores, Genuine], ends: list[float]) -> None:
    low, high = sorted(ends)
    totals = [np.zeros((2, 1), dtype=np.int64) for _ in BOTH]
    found = [passes.split(total, low, high, *chunk) for passes, total in zip(BOTH, totals, strict=True)]
    check_same_bytes(chunk[0], *found)
    scores, genuine = chunk[0].astype(np.float64), np.broadcast_to(chunk[1], len(chunk[0]))
    for row, part in enumerate((scores[~genuine], scores[genuine])):
        assert totals[0][row, 0] == totals[1][row, 0] == np.sum(part <= low)
        assert found[0][row].tolist() == part[(part > low) & (part <= high)].tolist()


@settings(max_examples=100)
@given(partitions(), chunks(), st.lists(st.booleans(), min_size=1, max_size=9))
def test_extremes(cells: Cells, chunk: tuple[Scores, Genuine], pattern: list[bool]) -> None:
    chosen = np.resize(np.array(pattern), cells.count)
    totals = [np.stack([np.full(cells.count, np.inf), np.full(cells.count, -np.inf)]) for _ in BOTH]
    for passes, total in zip(BOTH, totals, strict=True):
        passes.find_extremes(total, cells, chosen, chunk[0])
    assert totals[0].tobytes() == totals[1].tobytes()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("ordinal", [False, True])
def test_many_scores_of_many_magnitudes(dtype: type[np.floating], ordinal: bool) -> None:
    rng = np.random.default_rng(3)
    with np.errstate(over="ignore", under="ignore"):
        scores: Scores = (rng.choice([-1, 1], 200_000) * np.exp(rng.normal(0, 100, 200_000))).astype(dtype)
    genuine = rng.random(len(scores)) < 0.3
    even = Cells(-1e3 if not ordinal else -1e18, 30.0 if not ordinal else 1e-14, 40_000, ordinal=ordinal)
    for cells in (even, fit_cells(scores[::9], 30_000)):
        totals = [np.zeros((2, cells.count), dtype=np.int64) for _ in BOTH]
        for passes, total in zip(BOTH, totals, strict=True):
            passes.sift(total, cells, None, scores, genuine)
        assert np.array_equal(totals[0], totals[1])


def test_byte_order_of_other_machines() -> None:
    scores = np.linspace(0, 1, 5000).astype(">f8")
    cells = fit_cells(scores, 64)
    totals = [np.zeros((2, cells.count), dtype=np.int64) for _ in BOTH]
    for passes, total in zip(BOTH, totals, strict=True):
        passes.sift(total, cells, None, scores, False)
    assert np.array_equal(totals[0], totals[1])


@given(scores=score_arrays(max_size=200), level=st.integers(40, 60), some=st.integers(1, 200))
def test_tables_of_counters(scores: tuple[np.ndarray, np.ndarray], level: int, some: int) -> None:
    genuine, impostor = scores
    every, flags = np.concatenate(scores), np.arange(len(genuine) + len(impostor)) < len(genuine)
    layout = fit_layout(CountedCells.of(every[:some], flags[:some], level=level, floor=4))
    if layout is None:
        return
    found = []
    for passes in BOTH:
        table = layout.empty()
        strays = passes.count_table(
            table, layout, [(every, flags), (genuine, True), (impostor, False), (every[::2], flags[::2])]
        )
        masks = [np.broadcast_to(mask, len(part)) for part, mask in strays]
        outside = np.concatenate([*(part for part, _ in strays), np.empty(0)])
        found.append((table, outside, np.concatenate([*masks, np.empty(0, bool)])))
    for own, other in zip(*found, strict=True):
        assert np.array_equal(own, other)
