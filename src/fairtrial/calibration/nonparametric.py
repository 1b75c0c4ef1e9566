"""Calibrate by isotonic regression or by kernel densities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from fairtrial.calibration.evidence import Segments
from fairtrial.calibration.methods import (
    CalibrationFit,
    CalibrationMethod,
    ClassMoments,
    DevPasses,
    DevScores,
    Numbers,
    score_range,
    turned_notes,
)
from fairtrial.core.errors import TrialsError
from fairtrial.core.words import number_text
from fairtrial.counting.tallies import ScoreSource, as_source
from fairtrial.inference.variance import Floats


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


_BINS = 32
"""Bins in the width of the narrower kernel."""
_MOST_BINS = 1 << 17
_REACH = 12.0
"""Where kernels end, in their widths; nothing is known of a class farther from all of its scores."""
_FALLS = 0.05
"""A fall of the evidence, in nats, that is worth a note."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A map by straight lines between knots; constant beyond the last ones."""

    knots: Floats
    """Scores, rising."""
    values: Floats
    """The log-likelihood ratio at each."""

    @classmethod
    def read(cls, numbers: Mapping[str, Any], systems: int) -> Curve:
        """The map of saved numbers."""
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
        """The ratio of each trial."""
        return np.interp(scores[:, 0], self.knots, self.values)

    def described(self, systems: tuple[str, ...]) -> dict[str, float]:
        """How many knots there are, and the range of the ratios."""
        low, high = float(self.values.min()), float(self.values.max())
        return {"knots": len(self.knots), "lowest ratio": low, "highest ratio": high}


def _fit_kernels(dev: DevScores) -> CalibrationFit:
    """Fit one Gaussian kernel density per class, with bandwidths by Silverman's rule.

    Scores are put into bins of a 32nd of the narrower bandwidth, each shared by the two nearest bin centres, and
    the bins are smoothed. The ratio is bounded by the lowest and highest ratio of the bounded steps (`pav`), and held
    constant beyond the scores of dev.

    Raises
    ------
    TrialsError
        Infinite or equal scores, a class without spread, or scores too far apart for their bandwidth.

    References
    ----------
    Silverman, Density Estimation, 1986, eq. (3.28), as in scipy.stats.gaussian_kde.
    """
    dev.check_finite()
    (name,) = dev.systems
    unit = float(dev.units[0])
    scores = dev.scores[:, 0] / unit
    classes = scores[dev.genuine], scores[~dev.genuine]
    widths = [_bandwidth(own) for own in classes]
    if not min(widths) > 0:
        raise TrialsError(f"{name}: all dev scores of one class are equal, so no density can be estimated")
    low, high = float(scores.min()), float(scores.max())
    step = min(widths) / _BINS
    if not (high - low) / step < _MOST_BINS:
        raise TrialsError(
            "{system}: dev scores from {low:number} to {high:number} are too far apart for kernels of width "
            "{width:number}; {method!o} takes scores of any range",
            system=name,
            low=low * unit,
            high=high * unit,
            width=min(widths) * unit,
            method="pav",
        )
    grid = _Grid(low, step, int(np.ceil((high - low) / step)) + 1)
    densities = [grid.density(own, width) for own, width in zip(classes, widths, strict=True)]
    bounds = fit_steps(as_source(classes)).values
    known = (densities[0] > 0) | (densities[1] > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(densities[0]) - np.log(densities[1])
    curve = Curve(grid.centres[known] * unit, np.clip(values[known], bounds[0], bounds[-1]))
    free = known & (values > bounds[0]) & (values < bounds[-1])
    influence = _KernelInfluence(
        unit, grid, scores, dev.genuine, (widths[0], widths[1]), (densities[0], densities[1]), free
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
        """Where scores are, in bins; those beyond the last ones are in them."""
        return np.clip((scores - self.low) / self.step, 0.0, self.bins - 1.0)

    def smooth(self, place: Floats, weights: Floats, width: float) -> Floats:
        """At each centre the sum of kernels of these weights; each is shared by the two nearest centres."""
        below: NDArray[np.int64] = np.minimum(place.astype(np.int64), self.bins - 2)
        share = place - below
        counts = np.bincount(below, weights * (1 - share), self.bins)
        counts += np.bincount(below + 1, weights * share, self.bins)
        # sharing widens the kernel by step**2 / 6 on average, which is taken off again
        sigma = np.sqrt((width / self.step) ** 2 - 1 / 6)
        return np.asarray(gaussian_filter1d(counts, sigma, mode="constant", cval=0.0, truncate=_REACH) / self.step)

    def density(self, scores: Floats, width: float) -> Floats:
        """The density of scores at each centre."""
        return self.smooth(self.place(scores), np.ones(len(scores)), width) / len(scores)


@dataclass(frozen=True, slots=True, eq=False)
class _KernelInfluence:
    """How dev trials determine the ratio of two densities, where bandwidths and bounds stay as they are."""

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
        """By how much each dev trial moves a figure; see `Influence`.

        A trial adds its kernel to the density of its class, and takes from all of it.
        """
        place = self.grid.place(scores[:, 0] / self.unit)
        pulled = np.where(self.free[np.rint(place).astype(np.int64)], slopes, 0.0)
        found = np.empty(len(self.scores))
        sides = zip((self.genuine, ~self.genuine), (1.0, -1.0), self.widths, self.densities, strict=True)
        for rows, sign, width, density in sides:
            at = np.interp(place, np.arange(self.grid.bins), density)
            shares = np.divide(pulled, at, out=np.zeros(len(at)), where=at > 0)
            near = np.interp(self.scores[rows], self.grid.centres, self.grid.smooth(place, shares, width))
            found[rows] = sign * (near - pulled.sum()) / len(near)
        return found


def _bandwidth(scores: Floats) -> float:
    """Silverman's rule: the standard deviation times (4 / 3 n) ** (1 / 5)."""
    if len(scores) < 2 or scores.min() == scores.max():
        return 0.0
    return float(scores.std(ddof=1) * (4 / (3 * len(scores))) ** 0.2)


def _falls(curve: Curve) -> tuple[str, ...]:
    """A note where the evidence falls as the score rises."""
    behind = np.maximum.accumulate(curve.values) - curve.values
    if behind.max() <= _FALLS:
        return ()
    at = curve.knots[int(np.argmax(behind))]
    return (
        f"evidence falls as the score rises, by up to {number_text(float(behind.max()))} at a score of "
        f"{number_text(float(at))}, so ratios rank trials differently than scores do",
    )


KERNELS = CalibrationMethod(
    "kde", _fit_kernels, Curve.read, "the ratio of two kernel densities (Silverman's bandwidth), bounded"
)
