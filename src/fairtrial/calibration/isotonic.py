"""Isotonic calibration: the steps of pool-adjacent-violators, with evidence that finite data can bear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.calibration.evidence import Segments
from fairtrial.calibration.linear import turned_notes
from fairtrial.calibration.methods import CalibrationFit, CalibrationMethod, DevPasses, DevScores, Numbers
from fairtrial.calibration.tallies import ClassMoments, score_range
from fairtrial.counting.errors import ScoreSource, as_source
from fairtrial.spread import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A map that rises by steps: scores up to an end, and above the end before, have one log-likelihood ratio."""

    ends: Floats
    """The highest score of each step but the last."""
    values: Floats
    """The log-likelihood ratio of each step."""

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Steps:
        """The map of saved numbers."""
        ends, values = (np.array(numbers[name], dtype=np.float64) for name in ("ends", "ratios"))
        if len(values) != len(ends) + 1 or systems != 1 or (np.diff(ends) <= 0).any():
            raise ValueError("its steps do not fit together")
        return cls(ends, values)

    @property
    def numbers(self) -> Numbers:
        """Ends and ratios by name."""
        return {"ends": self.ends.tolist(), "ratios": self.values.tolist()}

    def ratios(self, scores: Floats) -> Floats:
        """The ratio of each trial."""
        return np.asarray(self.values[self.place(scores)])

    def place(self, scores: Floats) -> NDArray[np.int64]:
        """The step of each trial."""
        return np.searchsorted(self.ends, scores[:, 0], side="left")

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """How many steps there are, and the range of the ratios."""
        return {
            "steps": len(self.values),
            "lowest ratio": float(self.values[0]),
            "highest ratio": float(self.values[-1]),
        }


def fit_steps(source: ScoreSource) -> Steps:
    """Fit the steps to dev scores.

    One trial of each class is added below all others and one above (Laplace's rule of succession), so no step has
    infinite evidence: with n trials of a class the evidence is at most about ln(n + 2).
    """
    return _fit_segments(Segments.of(source))


def _fit_segments(found: Segments) -> Steps:
    """The steps of segments of the ROC convex hull, with a trial of each class added at both ends."""
    one, nothing = np.ones(1, dtype=np.int64), np.array([np.nan])
    padded = replace(
        found,
        ends=np.concatenate([nothing, found.ends, nothing]),
        genuine=np.concatenate([one, found.genuine, one]),
        impostor=np.concatenate([one, found.impostor, one]),
    )
    pooled = padded.pooled()
    ratios = pooled.ratios()
    # an end that only the added trials have is no end
    inner = pooled.ends[:-1]
    known = ~np.isnan(inner)
    kept = np.concatenate([known, [True]])
    if not kept.all():  # the lowest added trials stay apart: their evidence is that of the first step above them
        return Steps(inner[known], np.concatenate([ratios[:-1][known], ratios[-1:]]))
    return Steps(inner, ratios)


@dataclass(frozen=True, slots=True, eq=False)
class _StepInfluence:
    """How dev trials determine the ratios of steps, where the steps stay where they are."""

    steps: Steps
    step: NDArray[np.int64]
    """The step of each dev trial."""
    genuine: NDArray[np.bool_]

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """By how much each dev trial moves a figure; see `Influence`.

        The ratio of a step is the logarithm of its share of genuine trials over that of impostor trials: a trial moves
        its own step up or down, and all steps the other way.
        """
        count = len(self.steps.values)
        pull = np.bincount(self.steps.place(scores), slopes, count)
        found = np.empty(len(self.step))
        for rows, sign in ((self.genuine, 1.0), (~self.genuine, -1.0)):
            trials = np.bincount(self.step[rows], minlength=count).astype(np.float64)
            trials[[0, -1]] += 1.0 if count > 1 else 2.0  # the trials that were added
            found[rows] = sign * (pull[self.step[rows]] / trials[self.step[rows]] - pull.sum() / trials.sum())
        return found


def _fit(dev: DevScores) -> CalibrationFit:
    steps = fit_steps(as_source(dev.pair))
    notes: tuple[str, ...] = ()
    if np.isfinite(dev.scores).all():
        genuine, impostor = (float(np.mean(own / dev.units)) for own in dev.pair)
        notes = turned_notes(np.array([genuine - impostor]))
    return CalibrationFit(steps, _StepInfluence(steps, steps.place(dev.scores), dev.genuine), notes)


def _fit_in_passes(dev: DevPasses) -> CalibrationFit:
    low, high = score_range(dev)
    notes: tuple[str, ...] = ()
    if np.isfinite([low, high]).all():
        notes = turned_notes(np.diff(ClassMoments.between(dev, low, high).means))
    return CalibrationFit(fit_steps(dev.source), notes=notes)


ISOTONIC = CalibrationMethod(
    "pav",
    _fit,
    Steps.read,
    "steps that rise (pool adjacent violators), bounded",
    fit_in_passes=_fit_in_passes,
)
