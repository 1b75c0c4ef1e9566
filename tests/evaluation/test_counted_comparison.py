"""Systems compared by their counters."""

import numpy as np
import pytest
from scipy import stats

from fairtrial import Counter, compare
from fairtrial.core.notes import Note


def counted(seed: int) -> Counter:
    rng = np.random.default_rng(seed)
    genuine = np.arange(2000) < 500
    counter = Counter(["old", "new", "best"])
    counter.update(np.outer(genuine, [1.5, 1.6, 3.0]) + rng.normal(size=(2000, 3)), genuine)
    return counter


def test_interval_of_the_difference_is_that_of_independent_trials() -> None:
    result = compare(counted(0), counted(1), confidence=0.9)
    main = result.tables()[0]
    assert len(result.pairs) == 3
    for pair, shown in zip(result.pairs, main.column("interval"), strict=True):
        a, b = pair.counts_a, pair.counts_b
        # variances of four independent proportions, eq. (15) of Bengio & Mariéthoz 2004
        variance = sum(
            rate * (1 - rate) / trials / 4
            for counts in (a, b)
            for rate, trials in ((counts.far, counts.impostor), (counts.frr, counts.genuine))
        )
        reach = stats.norm.ppf(0.95) * np.sqrt(variance)
        ends = a.hter - b.hter - reach, a.hter - b.hter + reach
        told = pair.to_dict()["interval"]
        assert (told["low"], told["high"]) == pytest.approx(ends)
        assert (told["confidence"], told["method"], told["threshold"]) == (0.9, "hter-independent", "fixed")
        assert shown[:2] == pytest.approx(ends)


def test_counted_comparisons_say_whether_they_are_a_priori_and_what_the_threshold_is() -> None:
    for seed, kind in ((1, "a priori"), (0, "a posteriori")):
        found = compare(counted(0), counted(seed))
        assert found.kind == kind
        codes = {note.code for note in found.notes if isinstance(note, Note)}
        assert {"unpaired", "threshold-fixed"} <= codes
