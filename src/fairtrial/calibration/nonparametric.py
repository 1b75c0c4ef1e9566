"""Calibrate by isotonic regression or by kernel densities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from fairtrial.calibration.evidence import Floats, Segments
from fairtrial.calibration.methods import (
    CalibrationFit,
    CalibrationMethod,
    DevScores,
    Labels,
    Numbers,
    turned_notes,
)
from fairtrial.core.errors import TrialsError
from fairtrial.core.notes import Note
from fairtrial.counting.tallies import ScoreSource


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A map that rises by steps: one log-likelihood ratio between two ends, the upper one included."""

    ends: Floats
    """The highest score of each step but the last."""
    values: Floats
    """The log-likelihood ratio of each step."""

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Steps:
        """Make the map of saved numbers."""
        ends, values = (np.array(numbers[name], dtype=np.float64) for name in ("ends", "ratios"))
        if len(values) != len(ends) + 1 or systems != 1 or (np.diff(ends) <= 0).any():
            raise ValueError("its steps do not fit together")
        return cls(ends, values)

    @property
    def numbers(self) -> Numbers:
        """Ends and ratios by name."""
        return {"ends": self.ends.tolist(), "ratios": self.values.tolist()}

    def ratios(self, scores: Floats) -> Floats:
        """Map scores to ratios."""
        return np.asarray(self.values[self.place(scores)])

    def place(self, scores: Floats) -> NDArray[np.int64]:
        """Find the step of each trial."""
        return np.searchsorted(self.ends, scores[:, 0], side="left")

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """The number of steps, and the range of the ratios."""
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
    found = Segments.of(source)
    one, nothing = np.ones(1, dtype=np.int64), np.array([np.nan])
    padded = replace(
        found,
        ends=np.concatenate([nothing, found.ends, nothing]),
        genuine=np.concatenate([one, found.genuine, one]),
        impostor=np.concatenate([one, found.impostor, one]),
    )
    pooled = padded.pooled()
    ratios = pooled.ratios()
    # an end of added trials only is not an end
    inner = pooled.ends[:-1]
    known = ~np.isnan(inner)
    kept = np.concatenate([known, [True]])
    if not kept.all():  # the lowest added trials stay apart: their evidence is that of the first step above them
        return Steps(inner[known], np.concatenate([ratios[:-1][known], ratios[-1:]]))
    return Steps(inner, ratios)


@dataclass(frozen=True, slots=True, eq=False)
class _StepInfluence:
    """The influence of dev trials on the ratios of steps, the ends of steps fixed."""

    steps: Steps
    step: NDArray[np.int64]
    """The step of each dev trial."""
    genuine: NDArray[np.bool_]

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """Compute the influence of each dev trial on a statistic; see `Influence`.

        The ratio of a step is the logarithm of its proportion of genuine trials over that of impostor trials: a trial
        moves its own step one way, and all steps the other way.
        """
        count = len(self.steps.values)
        pull = np.bincount(self.steps.place(scores), slopes, count)
        found = np.empty(len(self.step))
        for rows, sign in ((self.genuine, 1.0), (~self.genuine, -1.0)):
            trials = np.bincount(self.step[rows], minlength=count).astype(np.float64)
            trials[[0, -1]] += 1.0 if count > 1 else 2.0  # the trials that were added
            found[rows] = sign * (pull[self.step[rows]] / trials[self.step[rows]] - pull.sum() / trials.sum())
        return found


def _fit_steps(dev: DevScores) -> CalibrationFit:
    steps = fit_steps(dev.source)
    notes: tuple[Note, ...] = ()
    if np.isfinite(dev.class_range).all():
        impostor, genuine = dev.mapped(partial(_in_unit, unit=float(dev.units[0]))).class_means()[:, 0]
        notes = turned_notes(float(genuine - impostor))
    if dev.scores is None or dev.genuine is None:
        return CalibrationFit(steps, notes=notes)
    return CalibrationFit(steps, _StepInfluence(steps, steps.place(dev.scores), dev.genuine), notes)


def _in_unit(scores: Floats, *, unit: float) -> Floats:
    return scores / unit


ISOTONIC = CalibrationMethod("pav", _fit_steps, Steps.read, "steps that rise (pool adjacent violators), bounded")


_BINS = 32
"""Bins in the width of the narrower kernel."""
_MOST_BINS = 1 << 17
_REACH = 12.0
"""Where kernels end, in widths."""
_FALLS = 0.05
"""A fall of the evidence, in nats, that deserves a note."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A map by straight lines between knots; constant beyond the last ones."""

    knots: Floats
    """Scores, rising."""
    values: Floats
    """The log-likelihood ratio at each."""

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Curve:
        """Make the map of saved numbers."""
        knots, values = (np.array(numbers[name], dtype=np.float64) for name in ("knots", "ratios"))
        if knots.ndim != 1 or knots.shape != values.shape or not len(knots) or systems != 1:
            raise ValueError("its knots do not fit together")
        if not (np.isfinite(knots).all() and np.isfinite(values).all() and (np.diff(knots) > 0).all()):
            raise ValueError("its knots do not rise, or are not finite")
        return cls(knots, values)

    @property
    def numbers(self) -> Numbers:
        """Knots and ratios by name."""
        return {"knots": self.knots.tolist(), "ratios": self.values.tolist()}

    def ratios(self, scores: Floats) -> Floats:
        """Map scores to ratios."""
        return np.interp(scores[:, 0], self.knots, self.values)

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """The number of knots, and the range of the ratios."""
        low, high = float(self.values.min()), float(self.values.max())
        return {"knots": len(self.knots), "lowest ratio": low, "highest ratio": high}


def _fit_kernels(dev: DevScores) -> CalibrationFit:
    """Fit one Gaussian kernel density per class, with bandwidths by Silverman's rule.

    Scores are put into bins of a 32nd of the narrower bandwidth, each divided between the two nearest centres, and
    the bins are smoothed. The ratio is bounded by the lowest and highest ratio of the bounded steps (`pav`), and held
    constant beyond the scores of dev.

    Raises
    ------
    TrialsError
        If scores are infinite or equal, a class has no variance, or scores are too far apart for their bandwidth.

    References
    ----------
    Silverman, Density Estimation, 1986, eq. (3.28), as in scipy.stats.gaussian_kde.
    """
    dev.check_finite()
    (name,), unit, (positive, negative) = dev.systems, float(dev.units[0]), dev.counts
    scaled = dev.mapped(partial(_in_unit, unit=unit))
    lowest, highest = dev.class_range[:, :, 0] / unit
    squares = scaled.class_squares(scaled.class_means())[:, 0]
    # Silverman's rule: the standard deviation times (4 / 3 n) ** (1 / 5)
    widths = [
        float(np.sqrt(squares[k] / (count - 1)) * (4 / (3 * count)) ** 0.2) if highest[k] > lowest[k] else 0.0
        for k, count in ((1, positive), (0, negative))
    ]
    if not min(widths) > 0:
        raise TrialsError(
            "{system}: all dev scores of one class are equal, so no density can be estimated",
            code="equal-scores",
            system=name,
        )
    low, high = float(lowest.min()), float(highest.max())
    step = min(widths) / _BINS
    if not (high - low) / step < _MOST_BINS:
        raise TrialsError(
            "{system}: dev scores from {low:number} to {high:number} are too far apart for kernels of width "
            "{width:number}; {method!o} takes scores of any range",
            code="scores-too-far-apart",
            system=name,
            low=low * unit,
            high=high * unit,
            width=min(widths) * unit,
            method="pav",
        )
    grid = _Grid(low, step, int(np.ceil((high - low) / step)) + 1)
    impostor, genuine = scaled.sum(grid.binned)
    densities = grid.smooth(genuine, widths[0]) / positive, grid.smooth(impostor, widths[1]) / negative
    bounds = fit_steps(dev.source).values
    known = (densities[0] > 0) | (densities[1] > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(densities[0]) - np.log(densities[1])
    curve = Curve(grid.centres[known] * unit, np.clip(values[known], bounds[0], bounds[-1]))
    if scaled.scores is None or scaled.genuine is None:
        return CalibrationFit(curve, notes=_falls(curve))
    free = known & (values > bounds[0]) & (values < bounds[-1])
    influence = _KernelInfluence(
        unit, grid, scaled.scores[:, 0], scaled.genuine, (widths[0], widths[1]), densities, free
    )
    return CalibrationFit(curve, influence, _falls(curve))


@dataclass(frozen=True, slots=True)
class _Grid:
    """Bins, by their centres."""

    low: float
    step: float
    bins: int

    @property
    def centres(self) -> Floats:
        return self.low + self.step * np.arange(self.bins, dtype=np.float64)

    def place(self, scores: Floats) -> Floats:
        """Give scores in bins; those beyond the last bins are in them."""
        return np.clip((scores - self.low) / self.step, 0.0, self.bins - 1.0)

    def counts(self, place: Floats, weights: Floats) -> Floats:
        """Sum weights by bin; each is divided between the two nearest centres."""
        below: NDArray[np.int64] = np.minimum(place.astype(np.int64), self.bins - 2)
        share = place - below
        counts = np.bincount(below, weights * (1 - share), self.bins)
        counts += np.bincount(below + 1, weights * share, self.bins)
        return np.asarray(counts, dtype=np.float64)

    def binned(self, scores: Floats, genuine: Labels) -> Floats:
        """Count impostor and genuine scores by bin."""
        classes = scores[~genuine, 0], scores[genuine, 0]
        return np.stack([self.counts(self.place(some), np.ones(len(some))) for some in classes])

    def smooth(self, counts: Floats, width: float) -> Floats:
        """Sum the kernels of binned weights at each centre."""
        # dividing between centres widens the kernel by step**2 / 6 on average, which is taken off again
        sigma = np.sqrt((width / self.step) ** 2 - 1 / 6)
        return np.asarray(gaussian_filter1d(counts, sigma, mode="constant", cval=0.0, truncate=_REACH) / self.step)


@dataclass(frozen=True, slots=True, eq=False)
class _KernelInfluence:
    """The influence of dev trials on the ratio of two densities, bandwidths and bounds fixed."""

    unit: float
    """What scores are divided by."""
    grid: _Grid
    scores: Floats
    """Of dev, so divided."""
    genuine: NDArray[np.bool_]
    widths: tuple[float, float]
    densities: tuple[Floats, Floats]
    """Of genuine and of impostor trials, at the centres of the bins."""
    free: NDArray[np.bool_]
    """At which centres the ratio is not bounded."""

    def moves(self, scores: Floats, slopes: Floats) -> Floats:
        """Compute the influence of each dev trial on a statistic; see `Influence`."""
        place = self.grid.place(scores[:, 0] / self.unit)
        pulled = np.where(self.free[np.rint(place).astype(np.int64)], slopes, 0.0)
        found = np.empty(len(self.scores))
        sides = zip((self.genuine, ~self.genuine), (1.0, -1.0), self.widths, self.densities, strict=True)
        for rows, sign, width, density in sides:
            at = np.interp(place, np.arange(self.grid.bins), density)
            shares = np.divide(pulled, at, out=np.zeros(len(at)), where=at > 0)
            near = np.interp(
                self.scores[rows], self.grid.centres, self.grid.smooth(self.grid.counts(place, shares), width)
            )
            found[rows] = sign * (near - pulled.sum()) / len(near)
        return found


def _falls(curve: Curve) -> tuple[Note, ...]:
    """Note how far the evidence falls as the score rises."""
    behind = np.maximum.accumulate(curve.values) - curve.values
    if behind.max() <= _FALLS:
        return ()
    text = (
        "evidence falls as the score rises, by up to {fall:number} at a score of {score:number}, so ratios rank trials "
        "differently than scores do"
    )
    at = float(curve.knots[int(np.argmax(behind))])
    return (Note("falling-evidence", text, fall=float(behind.max()), score=at),)


KERNELS = CalibrationMethod("kde", _fit_kernels, Curve.read, "the ratio of two kernel densities (Silverman), bounded")
