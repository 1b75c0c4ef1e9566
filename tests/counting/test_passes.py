"""When the compiled passes are used, and that nothing but time depends on it."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from fairtrial import ErrorCounts
from fairtrial.counting import as_source, count_errors
from fairtrial.counting import kernels as plain
from fairtrial.counting import tallies as errors
from fairtrial.counting.search import all_points, crossing_points, hull_points

Find = Callable[[errors.ScoreSource], ErrorCounts]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process that has counted nothing."""
    monkeypatch.setattr(plain, "_counted", 0)
    plain._compiled.cache_clear()
    yield
    plain._compiled.cache_clear()


def test_numba_is_not_imported_for_few_scores() -> None:
    code = (
        "import sys, numpy as np; from fairtrial.rules import choose_thresholds;"
        "x = np.random.default_rng(0).normal(size=10**6); choose_thresholds((x + 1, x), 'wer-min', [0.1, 0.5]);"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_compiled_passes_come_after_many_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = pytest.importorskip("fairtrial.counting.compiled")
    monkeypatch.setattr(plain, "_WORTH_LOADING", 20_000)
    many, few = np.zeros(10_000), np.zeros(10)
    assert [plain.passes_for(many) for _ in range(4)] == [plain, plain, compiled, compiled]
    assert plain.passes_for(few) is plain


@pytest.mark.parametrize("name", ["numba", "llvmlite"])
def test_without_numba_numpy_counts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for module in list(sys.modules):
        if module.split(".")[0] in ("numba", "llvmlite") or module == "fairtrial.counting.compiled":
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.delattr("fairtrial.counting.compiled", raising=False)
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(plain, "_WORTH_LOADING", 0)
    assert plain.passes_for(np.zeros(10_000)) is plain
    scores = np.arange(10_000.0)
    assert count_errors((scores + 5, scores), [100.0]).false_accepts.tolist() == [9899]


@pytest.mark.parametrize("failure", [SystemError("no such processor"), RuntimeError("cannot cache"), OSError()])
def test_with_a_broken_numba_numpy_counts(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    compiled = pytest.importorskip("fairtrial.counting.compiled")

    def fail(*arguments: object) -> None:
        raise failure

    monkeypatch.setattr(compiled, "sift", fail)
    monkeypatch.setattr(plain, "_WORTH_LOADING", 0)
    assert plain.passes_for(np.zeros(10_000)) is plain


def test_with_compilation_turned_off_numpy_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    monkeypatch.setattr(plain, "_WORTH_LOADING", 0)
    assert plain.passes_for(np.zeros(10_000)) is plain


def at_equality(source: errors.ScoreSource) -> ErrorCounts:
    return crossing_points(source, lambda counts: counts.frr - counts.far, np.array([0.0]))


@pytest.mark.parametrize("find", [hull_points, at_equality, all_points])
@pytest.mark.parametrize("shape", ["normal", "float32", "integers", "saturated", "infinite"])
def test_thresholds_are_the_same_bits(monkeypatch: pytest.MonkeyPatch, find: Find, shape: str) -> None:
    pytest.importorskip("numba")
    rng = np.random.default_rng(4)
    genuine, impostor = rng.normal(1, 1, 60_000), rng.normal(0, 1, 120_000)
    if shape == "float32":
        genuine, impostor = genuine.astype(np.float32), impostor.astype(np.float32)
    elif shape == "integers":
        genuine, impostor = np.round(4 * genuine), np.round(4 * impostor)
    elif shape == "saturated":
        genuine, impostor = np.tanh(4 * genuine), np.tanh(4 * impostor - 4)
    elif shape == "infinite":
        genuine[::50], impostor[::3], impostor[1] = -np.inf, -np.inf, np.inf
    # several chunks and threads, as of larger arrays
    monkeypatch.setattr(errors, "_CHUNK", 50_000)
    found = []
    for worth in (10**18, 0):
        monkeypatch.setattr(plain, "_WORTH_LOADING", worth)
        found.append(find(as_source((genuine, impostor))))
    for name in ("threshold", "false_accepts", "false_rejects"):
        assert getattr(found[0], name).tobytes() == getattr(found[1], name).tobytes()
    rising = np.sort(impostor)
    expected = len(rising) - np.searchsorted(rising, found[1].threshold, side="right")
    assert np.array_equal(found[1].false_accepts, expected)
