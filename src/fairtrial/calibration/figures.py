"""What a figure of evidence is: its value, what every test trial adds to it, and how the calibration moves it.

Cllr and its kin are means over trials, so each person's part in them is a sum. A figure that is a minimum, over maps
or thresholds, has to first order the variance that it has at the map or threshold where the minimum is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from fairtrial.calibration.evidence import Segments, cllr, softplus
from fairtrial.calibration.isotonic import fit_steps
from fairtrial.calibration.methods import Influence
from fairtrial.calibration.model import Calibration, score_table
from fairtrial.calibration.values import by_class, in_both, spread_of_values, sum_of_class_means
from fairtrial.claims import Claim, Threshold, re_estimated
from fairtrial.counting.errors import as_source
from fairtrial.counting.search import hull_points
from fairtrial.errors import TrialsError
from fairtrial.judging import TrialSets
from fairtrial.spread import Floats
from fairtrial.trials import Trials

_ONES = (1.0, 1.0)
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Evidence:
    """A calibrated system on the judged trials.

    Parameters
    ----------
    calibration
        From scores to ratios.
    sets
        The trials that it was fitted and is judged on, and who takes part in them.
    """

    calibration: Calibration
    sets: TrialSets

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
        return self.calibration.ratios(self.test)

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
        return self.calibration.influence if self.sets.origin == "dev" else None

    @property
    def method(self) -> str:
        """What intervals and tests call the variance."""
        return "independent" if self.sets.people[1] is None else f"cluster-{self.sets.sharing}"

    def moved_by(self, slopes: Floats) -> Floats | None:
        """By how much each dev trial moves a figure, from the slopes of the figure in the ratio of each test trial."""
        if self.influence is None:
            return None
        return by_class(self.influence.moves(self.scores, slopes), self.dev.genuine)


def _trials_of(data: object) -> Trials:
    if not isinstance(data, Trials):
        raise TrialsError("figures of evidence with intervals need Trials, one row per trial; see Trials.from_arrays")
    return data


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
    sets, genuine = evidence.sets, evidence.genuine
    spread = spread_of_values(sets.people[1], genuine, figure.values, _ONES)
    if figure.moves is None or threshold == "fixed":
        return Claim(figure.estimate, spread, 0.0, spread.degrees, "fixed")
    moved = spread_of_values(sets.people[0], evidence.dev.genuine, figure.moves, _ONES)
    joint = in_both(sets, figure.moves, figure.values, _ONES)
    return re_estimated(figure.estimate, spread, moved.variance, moved.degrees, joint=joint)


def entropy_figure(evidence: Evidence, prior: float = 0.5) -> Figure:
    """The empirical cross-entropy at a prior, in bits; Cllr at one half."""
    values, slopes = _entropies(evidence.ratios, evidence.genuine, prior)
    return Figure(sum_of_class_means(values, evidence.genuine), values, evidence.moved_by(slopes))


def least_entropy_figure(evidence: Evidence, prior: float = 0.5) -> Figure:
    """The least cross-entropy that a rising map of the ratios has; min Cllr at one half.

    It is a minimum over maps, so to first order each trial adds what it costs at the map of the minimum. That map
    follows the trials it is fitted on, which makes costs too even; at the map that other people give (bounded as
    `fit_steps` does) they are too uneven, with few trials. The mean of the two has the variance that was measured in
    simulations (docs/calibration.md).
    """
    found = Segments.of(as_source(evidence.pair))
    place = np.minimum(np.searchsorted(found.ends, evidence.ratios, side="left"), len(found.ends) - 1)
    costs, _ = _entropies(found.ratios()[place], evidence.genuine, prior)
    ratios = evidence.ratios.copy()
    fold = _folds(evidence)
    for own in range(_FOLDS):
        held, rest = fold == own, fold != own
        classes = evidence.ratios[rest & evidence.genuine], evidence.ratios[rest & ~evidence.genuine]
        if held.any() and all(map(len, classes)):
            ratios[held] = fit_steps(as_source(classes)).ratios(evidence.ratios[held, None])
    held_out, _ = _entropies(ratios, evidence.genuine, prior)
    estimate = sum_of_class_means(costs, evidence.genuine)
    least_high = sum_of_class_means(held_out, evidence.genuine) if estimate == 0 else 0.0
    return Figure(estimate, (costs + held_out) / 2, least_high=least_high)


def _folds(evidence: Evidence) -> NDArray[np.int64]:
    """People who are claimed to be dealt into folds, or subjects, or trials where nothing is known of people."""
    test, rng = evidence.test, np.random.default_rng([evidence.sets.seed, 6])
    role = "subject" if evidence.sets.sharing == "subject" else "claim"
    if evidence.sets.people[1] is None or role not in test.ids:
        return rng.permutation(len(test)) % _FOLDS
    codes = test.ids[role].numbered().codes
    return (rng.permutation(int(codes.max()) + 1) % _FOLDS)[codes]


def cllr_figure(evidence: Evidence) -> Figure:
    """Cllr; the same bits as `cllr`."""
    found = entropy_figure(evidence)
    return Figure(cllr(evidence.pair), found.values, found.moves)


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
    costs there.
    """
    hull = hull_points(as_source(evidence.pair))
    away = np.asarray(hull.frr - hull.far)  # rises from vertex to vertex
    after = int(np.argmax(away >= 0))
    before = max(after - 1, 0)
    width = float(away[after] - away[before])
    share = float(away[after]) / width if width > 0 else 0.0  # of the vertex before
    fall, rise = float(hull.far[before] - hull.far[after]), float(hull.frr[after] - hull.frr[before])
    prior = fall / (fall + rise) if fall + rise > 0 else 0.5  # both vertices cost the same there
    wrong = [(evidence.ratios > hull.threshold[k]) != evidence.genuine for k in (before, after)]
    values = np.where(evidence.genuine, prior, 1 - prior) * (share * wrong[0] + (1 - share) * wrong[1])
    return Figure(sum_of_class_means(values, evidence.genuine), values)
