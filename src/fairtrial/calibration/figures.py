"""What a figure of evidence is: its value, what every test trial adds to it, and how the calibration moves it.

Cllr and its kin are means over trials, so each person's part in them is a sum. A figure that is a minimum, over maps
or thresholds, has to first order the variance that it has at the map or threshold where the minimum is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from fairtrial.calibration.evidence import Segments, cllr, softplus
from fairtrial.calibration.isotonic import fit_steps
from fairtrial.calibration.methods import Influence
from fairtrial.calibration.model import Calibration, score_table
from fairtrial.calibration.values import by_class, sum_of_class_means
from fairtrial.claims import Claim, Threshold, claim_of_values
from fairtrial.counting.errors import ErrorCounts, as_source
from fairtrial.counting.search import hull_points
from fairtrial.errors import TrialsError
from fairtrial.rules.measures import Weights
from fairtrial.spread import Floats
from fairtrial.trial_sets import TrialSets
from fairtrial.trials import Trials

_FOLDS = 5
_BY_OTHERS = 2 / 3
"""What the costs at a best choice by other people weigh in the variance of a minimum."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A calibrated system on the judged trials.

    Parameters
    ----------
    calibration
        From scores to ratios.
    sets
        The trials that it was fitted and is judged on, and who takes part in them.
    folded
        Where one set of trials is judged in blocks: the calibration of each, fitted on trials of other people.
        `calibration` then is that of all trials, which tells how far those of the blocks would move.
    """

    calibration: Calibration
    sets: TrialSets
    folded: tuple[Calibration, ...] = ()

    @property
    def dev(self) -> Trials:
        """The trials that the calibration was fitted on."""
        return _trials_of(self.sets.dev)

    @property
    def test(self) -> Trials:
        """The judged trials."""
        return _trials_of(self.sets.test)

    @property
    def genuine(self) -> NDArray[np.bool_]:
        """Which of the judged trials are genuine."""
        return self.test.genuine

    @cached_property
    def ratios(self) -> Floats:
        """The log-likelihood ratio of each judged trial."""
        if not self.folded:
            return self.calibration.ratios(self.test)
        found = np.full(len(self.test), np.nan)
        for block, own in zip(self.sets.blocks, self.folded, strict=True):
            rows = block.held_out
            found[rows] = own.mapping.ratios(self.scores[rows])
        return found

    @cached_property
    def pair(self) -> tuple[Floats, Floats]:
        """Ratios of genuine and of impostor trials."""
        return self.ratios[self.genuine], self.ratios[~self.genuine]

    @cached_property
    def scores(self) -> Floats:
        """What the calibration is applied to: one row per judged trial, one column per system."""
        return score_table(self.test, self.calibration.systems)

    @property
    def influence(self) -> Influence | None:
        """How dev trials determine the calibration; None where nothing is known of it."""
        return self.calibration.influence if self.sets.origin in ("dev", "folds") else None

    def moved_by(self, slopes: Floats) -> Floats | None:
        """By how much each dev trial moves a figure, from the slopes of the figure in the ratio of each test trial."""
        if self.influence is None:
            return None
        return by_class(self.influence.moves(self.scores, slopes), self.dev.genuine)


def _trials_of(data: object) -> Trials:
    if not isinstance(data, Trials):
        raise TrialsError("figures of evidence with intervals need Trials, one row per trial; see Trials.from_arrays")
    return data


@dataclass(frozen=True, slots=True)
class ErrorSum:
    """The errors behind a figure that is a weighted sum of two error rates."""

    counts: ErrorCounts
    weights: Weights


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A figure of evidence on the judged trials."""

    estimate: float
    values: Floats
    """What each judged trial adds: the means over both classes move as the figure does."""
    moves: Floats | None = None
    """By how much each dev trial moves it through the calibration, times the trials of its class; None where the
    calibration does not matter, or nothing is known of it."""
    least_high: float = 0.0
    """What the upper limit is at least, where the judged trials themselves do not tell a variance."""
    errors: ErrorSum | None = None
    """Of a weighted sum of error rates: the errors, which give its limits."""
    parts: tuple[Figure, ...] = ()
    """What it is the mean of; none where it is one figure by itself."""

    @classmethod
    def mean_of(cls, parts: Sequence[Figure]) -> Figure:
        """The mean of several figures of the same evidence."""
        if len(parts) == 1:
            return parts[0]
        moved = [own.moves for own in parts if own.moves is not None]
        return cls(
            float(np.mean([own.estimate for own in parts])),
            np.mean([own.values for own in parts], axis=0),
            np.mean(moved, axis=0) if len(moved) == len(parts) else None,
            parts=tuple(parts),
        )

    def __sub__(self, other: Figure) -> Figure:
        both = [own.moves for own in (self, other) if own.moves is not None]
        moves = None
        if both:
            first, second = (0.0 if own.moves is None else own.moves for own in (self, other))
            moves = np.asarray(first - second)
        with np.errstate(invalid="ignore"):  # infinite evidence is refused where something is claimed
            estimate, values = np.subtract(self.estimate, other.estimate), self.values - other.values
        return Figure(float(estimate), values, moves)


def claim_of(figure: Figure, evidence: Evidence, *, threshold: Threshold = "re-estimated") -> Claim:
    """Claim a figure, or the difference of two on the same trials, with its variance.

    Parameters
    ----------
    figure
        A figure, or the difference of two.
    evidence
        Where it comes from; of a difference, either.
    threshold
        ``re-estimated`` adds what the calibration would have moved with other dev people, where that is known.

    Raises
    ------
    TrialsError
        Infinite evidence for the wrong side, of which there is no variance.
    """
    if not np.isfinite(figure.estimate):
        raise TrialsError("a trial has infinite evidence for the wrong side, so nothing can be said of a difference")
    return claim_of_values(evidence.sets, figure.estimate, figure.values, figure.moves, threshold=threshold)


def entropy_figure(evidence: Evidence, prior: float = 0.5) -> Figure:
    """The empirical cross-entropy at a prior, in bits; Cllr at one half."""
    values, slopes = _entropies(evidence.ratios, evidence.genuine, prior)
    return Figure(sum_of_class_means(values, evidence.genuine), values, evidence.moved_by(slopes))


def least_entropy_figure(evidence: Evidence, prior: float = 0.5) -> Figure:
    """The least cross-entropy that a rising map of the ratios has; min Cllr at one half.

    It is a minimum over maps, so to first order each trial adds what it costs at the map of the minimum. That map
    follows the trials it is fitted on, which makes costs too even; at the map that other people give (bounded as
    `fit_steps` does) they are too uneven, with few trials. See `between`.
    """
    found = Segments.of(as_source(evidence.pair))
    place = np.minimum(np.searchsorted(found.ends, evidence.ratios, side="left"), len(found.ends) - 1)
    costs, _ = _entropies(found.ratios()[place], evidence.genuine, prior)
    ratios = evidence.ratios.copy()
    for held, rest in folds_of_people(evidence):
        classes = evidence.ratios[rest & evidence.genuine], evidence.ratios[rest & ~evidence.genuine]
        ratios[held] = fit_steps(as_source(classes)).ratios(evidence.ratios[held, None])
    held_out, _ = _entropies(ratios, evidence.genuine, prior)
    estimate = sum_of_class_means(costs, evidence.genuine)
    least_high = sum_of_class_means(held_out, evidence.genuine) if estimate == 0 else 0.0
    return Figure(estimate, between(costs, held_out), least_high=least_high)


def between(costs: Floats, by_others: Floats) -> Floats:
    """What each trial adds to a minimum: between its cost at the best choice and that at the choice of other people.

    The variance of the former is too small and that of the latter too large, with few trials; where they meet was
    chosen in simulations (docs/calibration.md).
    """
    return (1 - _BY_OTHERS) * costs + _BY_OTHERS * by_others


def folds_of_people(evidence: Evidence) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """The judged trials of some people, and those of the others, if there are any of both classes.

    People who are claimed to be are dealt into folds, or subjects, or trials where nothing is known of people.
    """
    test, rng = evidence.test, np.random.default_rng([evidence.sets.seed, 6])
    role = "subject" if evidence.sets.sharing == "subject" else "claim"
    if evidence.sets.people[1] is None or role not in test.ids:
        fold = rng.permutation(len(test)) % _FOLDS
    else:
        codes = test.ids[role].numbered().codes
        fold = (rng.permutation(int(codes.max()) + 1) % _FOLDS)[codes]
    for own in range(_FOLDS):
        held, rest = fold == own, fold != own
        if held.any() and (rest & evidence.genuine).any() and (rest & ~evidence.genuine).any():
            yield held, rest


def cllr_figure(evidence: Evidence) -> Figure:
    """Cllr; the same bits as `cllr`."""
    return replace(entropy_figure(evidence), estimate=cllr(evidence.pair))


def _entropies(ratios: Floats, genuine: NDArray[np.bool_], prior: float) -> tuple[Floats, Floats]:
    """What each trial costs in bits, times the share of its class; and the slope of the sum of means in its ratio."""
    signs = np.where(genuine, -1.0, 1.0)
    away = signs * (ratios + log(prior / (1 - prior)))
    shares = np.where(genuine, prior, 1 - prior) / log(2)
    counts = np.where(genuine, np.count_nonzero(genuine), np.count_nonzero(~genuine))
    return shares * softplus(away), shares * signs * expit(away) / counts


def rocch_eer_figure(evidence: Evidence) -> Figure:
    """The equal error rate on the ROC convex hull: the highest over priors of the least Bayes error.

    It lies between two vertices, at the prior for which both cost the same: to first order each trial adds what it
    costs there. Both error rates are the same there, and their sum, weighed by that prior, has the limits.
    """
    hull = hull_points(as_source(evidence.pair))
    away = np.asarray(hull.frr - hull.far)  # rises from vertex to vertex
    after = int(np.argmax(away >= 0))
    before = max(after - 1, 0)
    width = float(away[after] - away[before])
    share = float(away[after]) / width if width > 0 else 0.0  # of the vertex before
    # at a vertex all priors between those of its two sides would do: that of the chord is among them
    beyond = min(after + int(away[after] == 0), len(away) - 1)
    fall, rise = float(hull.far[before] - hull.far[beyond]), float(hull.frr[beyond] - hull.frr[before])
    prior = fall / (fall + rise) if fall + rise > 0 else 0.5  # both vertices cost the same there
    wrong = [(evidence.ratios > hull.threshold[k]) != evidence.genuine for k in (before, after)]
    values = np.where(evidence.genuine, prior, 1 - prior) * (share * wrong[0] + (1 - share) * wrong[1])
    estimate = sum_of_class_means(values, evidence.genuine)
    genuine = np.count_nonzero(evidence.genuine)
    impostor = len(values) - genuine
    counts = ErrorCounts(float("nan"), estimate * impostor, estimate * genuine, genuine, impostor)
    return Figure(estimate, values, errors=ErrorSum(counts, Weights(1 - prior, prior)))
