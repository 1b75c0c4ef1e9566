"""How well the bands of PAV cover the true ratio of a score: what docs/coverage-calibration.md says.

``python studies/bands.py [DATA_SETS]``. Scores of both classes are normal, also with effects of people, so that the
true log-likelihood ratio of every score is known.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import fairtrial as ft
from simulated import crossed

SCORES = np.array([-1.0, 0.0, 1.0, 2.0, 3.0])
SEPARATION = 2.0
RESAMPLES = 200


def study(clients: int, impostors: int, effect: float, count: int) -> str:
    """One row: the share of bands that hold the true ratio, at each score."""
    # a genuine trial has the effect of one person, an impostor trial those of two
    genuine, impostor = norm(SEPARATION, np.sqrt(1 + effect**2)), norm(0, np.sqrt(1 + 2 * effect**2))
    truth = genuine.logpdf(SCORES) - impostor.logpdf(SCORES)
    held = []
    for seed in range(count):
        rng = np.random.default_rng([seed, 7])
        dev, test = (
            crossed(rng, clients=clients, impostors=impostors, effect=effect, separation=SEPARATION, start=start)
            for start in (0, 100)
        )
        found = ft.calibrate(dev, test, systems=["a"], costs=())
        curve = ft.calibration.pav_curve(found, of_scores=True, n_resamples=RESAMPLES, rng=seed)
        at = np.minimum(np.searchsorted(curve.places, SCORES), len(curve.places) - 1)
        held.append((curve.low[at] <= truth) & (truth <= curve.high[at]))
    shares = " | ".join(f"{share:.1f}" for share in 100 * np.mean(held, axis=0))
    return f"| {clients} x {impostors}, {effect:g} | {shares} |"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"{count:,} data sets per row, in %.\n")
    print("| people, effects | score -1 | 0 | 1 | 2 | 3 |\n|---|---|---|---|---|---|")
    for clients, impostors in ((50, 25), (20, 10)):
        for effect in (0.0, 0.5, 1.0):
            print(study(clients, impostors, effect, count), flush=True)


if __name__ == "__main__":
    main()
