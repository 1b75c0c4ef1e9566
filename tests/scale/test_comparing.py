"""Systems that were counted, compared."""

from __future__ import annotations

import numpy as np

from fairtrial import Counter, compare_counted
from simulated import crossed


def test_counted_comparisons_say_whether_they_are_a_priori_and_what_the_threshold_is() -> None:
    counted = []
    for seed in (0, 1):
        counter = Counter(["a", "b"])
        counter.update(crossed(np.random.default_rng(seed), clients=10, impostors=6))
        counted.append(counter)
    for test, kind in ((counted[1], "a priori"), (counted[0], "a posteriori")):
        found = compare_counted(counted[0], test)
        assert found.tables()[1].caption.startswith(f"Errors on test, {kind}, threshold by eer")
        assert any("dev and test are the same trials" in note for note in found.notes) == (kind == "a posteriori")
        assert any("does not tell how far the threshold would move" in note for note in found.notes)
