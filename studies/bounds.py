"""Whether the bounds of figures from counts in cells hold: random trials against every threshold, one by one.

Each trial draws dev and test scores of some kind, a criterion, an alpha and how coarse the cells are, finds the
threshold among all scores by exact fractions, and looks whether it and all measures on dev and test lie within the
bounds, and whether the errors at the end of a cell are exact. ``python studies/bounds.py 10000`` prints how many
figures were tried, and how many lie outside.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairtrial import CRITERIA, MEASURES, Criterion, ErrorCounts
from fairtrial.counting.cells import LAST_LEVEL, CountedCells
from fairtrial.rules.bounds import bounded_choices, boxes_at

ROUNDING = 1e-12
AROUND_ONE = (1040, 1060, 1068, 1070, 1072, 1074, 1076)
"""Levels at which scores around one share cells."""
ODD = (np.inf, -np.inf, 0.0, -0.0, 1e300, -9999.0, 5e-324)


def draw_scores(rng: np.random.Generator) -> tuple[NDArray[np.floating], NDArray[np.bool_]]:
    """Scores on an even scale, likelihoods, posteriors, far from zero, rounded, with odd ones, or mixed scales."""
    size = int(rng.integers(2, 40))
    genuine = rng.random(size) < rng.uniform(0.05, 0.95)
    genuine[:2] = True, False
    scores = rng.normal(size=size) + rng.uniform(-1, 4) * genuine
    kinds = (
        scores,
        10.0 ** (30 * scores - 50),
        1 / (1 + np.exp(-8 * scores)),
        1000 + scores / 100,
        np.round(scores, int(rng.integers(3))),
        np.where(rng.random(size) < 0.2, rng.choice(ODD, size), scores),
        np.where(rng.random(size) < 0.5, scores * 1e-9 + 7.5, scores * 1e5),
    )
    found = kinds[int(rng.integers(len(kinds)))]
    with np.errstate(over="ignore"):
        return (found.astype(np.float32) if rng.random() < 0.3 else found), genuine


def errors(scores: NDArray[np.floating], genuine: NDArray[np.bool_], threshold: float) -> tuple[int, int, int, int]:
    """False accepts, false rejects, genuine and impostor trials, counted one by one."""
    accepted = [float(score) > threshold for score in scores]
    accepts = sum(yes and not own for yes, own in zip(accepted, genuine, strict=True))
    rejects = sum(own and not yes for yes, own in zip(accepted, genuine, strict=True))
    return accepts, rejects, int(genuine.sum()), int((~genuine).sum())


def choose(scores: NDArray[np.floating], genuine: NDArray[np.bool_], rule: Criterion, alpha: Fraction) -> float:
    """The threshold of the smallest cost, then of the fewest errors, then the lowest, in exact fractions."""
    alpha = Fraction(1, 2) if rule.alpha is not None else alpha
    used = rule.at_ends if rule.at_ends is not None and alpha in (0, 1) else rule

    def rank(threshold: float) -> tuple[Fraction, Fraction, float]:
        counts = ErrorCounts(None, *map(Fraction, errors(scores, genuine, threshold)))
        return used.cost(counts, alpha), counts.far + counts.frr, threshold

    return min({-np.inf, *map(float, scores)}, key=rank)


def cells_of(
    scores: NDArray[np.floating], genuine: NDArray[np.bool_], floor: int, rng: np.random.Generator
) -> CountedCells:
    """The scores in cells of some level."""
    level = int(rng.choice([0, *AROUND_ONE, int(rng.integers(LAST_LEVEL + 1)), LAST_LEVEL]))
    return CountedCells.of(scores, genuine, floor=floor).coarsened(level)


def try_once(seed: int) -> tuple[int, int]:
    """How many figures were tried, and how many lie outside their bounds."""
    rng = np.random.default_rng([seed, 12])
    dev, test = draw_scores(rng), draw_scores(rng)
    floor = int(rng.integers(5))
    rule, alpha = CRITERIA[str(rng.choice(list(CRITERIA)))], Fraction(int(rng.integers(21)), 20)
    threshold = choose(*dev, rule, alpha)
    best, (possible,) = bounded_choices(cells_of(*dev, floor, rng), rule, float(alpha))
    on_test = boxes_at(cells_of(*test, floor, rng), possible.first, possible.last)
    low, high = possible.threshold
    known = int(best.false_accepts[0]), int(best.false_rejects[0])
    tried, outside = 2, int(not low <= threshold <= high) + int(errors(*dev, float(best.threshold[0]))[:2] != known)
    for boxes, data in ((possible, dev), (on_test, test)):
        counts = ErrorCounts(threshold, *errors(*data, threshold))
        for measure in MEASURES.values():
            low, high = boxes.of(measure, float(alpha))
            tried += 1
            outside += not low - ROUNDING <= float(measure(counts, float(alpha))) <= high + ROUNDING
    return tried, outside


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    tried, outside = np.sum([try_once(seed) for seed in range(trials)], axis=0).tolist()
    print(f"{trials:,} trials, {tried:,} figures, {outside:,} outside their bounds")


if __name__ == "__main__":
    main()
