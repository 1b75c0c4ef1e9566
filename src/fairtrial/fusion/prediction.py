"""What fusion will give, from Gaussian fits of its parts: the F-ratio theory of Poh & Bengio."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fairtrial.errors import ParameterError, listed
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.correlation import ClassGaussian, SystemCorrelations, finite_scores
from fairtrial.fusion.methods import FusionData
from fairtrial.fusion.normalise import PER_CLAIM, check_normalisation, fit_normalisation
from fairtrial.fusion.steps import Floats
from fairtrial.judging import judge
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.eer import equal_error_rate
from fairtrial.tables import Column, Result, Table, percent, plural
from fairtrial.trial_sets import TrialSets
from fairtrial.trials import Trials

_SHOWN = 20
"""Fusions that people get to see; files have all."""


def f_ratio(genuine_mean: float, impostor_mean: float, genuine_sd: float, impostor_sd: float) -> float:
    """Compute the F-ratio (mean_G - mean_I) / (sd_G + sd_I) of two Gaussians.

    Parameters
    ----------
    genuine_mean, impostor_mean : float
        The means of the scores of both classes.
    genuine_sd, impostor_sd : float
        Their standard deviations.

    Returns
    -------
    float
        How far the classes are apart; infinite where neither has any spread, NaN where they are the same besides.

    References
    ----------
    N. Poh & S. Bengio, Why do multi-stream, multi-band and multi-modal approaches work on biometric user
    authentication tasks?, ICASSP 2004; "Gaussian fittings can be very useful to predict fusion", Poh & Bengio 2006,
    section 5.

    Examples
    --------
    >>> f_ratio(3.0, 0.0, 1.0, 0.5)
    2.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(genuine_mean - impostor_mean) / (genuine_sd + impostor_sd))


def gaussian_eer(ratio: float) -> float:
    """Compute the equal error rate of two Gaussians from their F-ratio: 1/2 - 1/2 erf(F / sqrt 2).

    Parameters
    ----------
    ratio : float
        The F-ratio; below 0 where genuine scores are the lower ones.

    Returns
    -------
    float
        The rate at the threshold where FAR and FRR are equal, a fraction.

    References
    ----------
    As of `f_ratio`.

    Examples
    --------
    >>> round(gaussian_eer(1.6449), 4)
    0.05
    """
    from scipy.special import ndtr

    # 1/2 - 1/2 erf(F / sqrt 2) without its rounding for large F
    return float(ndtr(-ratio))


@dataclass(frozen=True, slots=True)
class Prediction:
    """One system or one fusion: predicted by Gaussians of its parts, and measured."""

    systems: tuple[str, ...]
    f_ratio: float
    eer_predicted: float
    eer: float
    """Measured on dev, a posteriori."""
    hter: float | None
    """Measured on test, a priori; None without test trials."""

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "systems": list(self.systems),
            "f_ratio": self.f_ratio,
            "eer_predicted": self.eer_predicted,
            "eer": self.eer,
            "hter": self.hter,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FusionPredictions(Result):
    """Predicted and measured errors of all fusions by the mean, the best predicted first.

    Attributes
    ----------
    normalise : str
        The name of the normalisation.
    systems : tuple of Prediction
        Single systems, predicted and measured.
    fusions : tuple of Prediction
        Every fusion, predicted and measured, the best predicted first.
    correlations : SystemCorrelations
        The correlations of the normalised dev scores.
    rank_correlation : float
        Spearman's, of predicted and measured EERs of the fusions; NaN with fewer than three.
    notes : tuple of str
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, predict_fusions
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> predict_fusions(dev).fusions[0].systems
    ('face', 'voice')
    """

    normalise: str
    systems: tuple[Prediction, ...]
    fusions: tuple[Prediction, ...]
    correlations: SystemCorrelations
    rank_correlation: float
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {
            "normalise": self.normalise,
            "systems": [found.to_dict() for found in self.systems],
            "fusions": [found.to_dict() for found in self.fusions],
            "rank_correlation": self.rank_correlation,
            "correlations": self.correlations.pairs(),
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """The fusion that is predicted to be best."""
        best = self.fusions[0]
        return (
            f"{plural(len(self.fusions), 'fusion')}, best predicted: {listed(best.systems, 4)}, EER "
            f"{percent(best.eer_predicted)} predicted, {percent(best.eer)} measured"
        )

    def tables(self) -> tuple[Table, ...]:
        """Fusions, single systems, and correlations by class."""
        columns = [
            Column("systems", "systems"),
            Column("f_ratio", "F-ratio", "number"),
            Column("eer_predicted", "predicted EER", "rate"),
            Column("eer", "EER on dev", "rate"),
            Column("hter", "HTER on test", "rate"),
        ]
        if self.fusions[0].hter is None:
            del columns[-1]
        notes = ["predicted: from Gaussian fits of the dev scores of each class, and their covariances", *self.notes]
        if len(self.fusions) > _SHOWN:
            notes.append(f"the best {_SHOWN} of {len(self.fusions)} fusions are shown")
        if not np.isnan(self.rank_correlation):
            notes.append(f"rank correlation of predicted and measured EERs: {self.rank_correlation:.3f}")
        shown = range(min(_SHOWN, len(self.fusions)))
        scale = "" if self.normalise == "none" else f", normalisation {self.normalise}"
        caption = f"Fusions by the mean{scale}, the best predicted first"
        return (
            Table.of("fusions", caption, columns, map(_row, self.fusions), notes=notes, shown=shown),
            Table.of("systems", "Single systems", columns, map(_row, self.systems)),
            *self.correlations.tables(),
        )


def _row(found: Prediction) -> dict[str, Any]:
    return found.to_dict() | {"systems": " + ".join(found.systems)}


def predict_fusions(
    dev: TrialsLike,
    test: TrialsLike | None = None,
    *,
    systems: Sequence[str] | None = None,
    normalise: str = "none",
    largest: int | None = None,
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
    progress: Callable[[], None] | None = None,
) -> FusionPredictions:
    """Predict the error of every fusion by the mean from Gaussian fits of its parts, beside what is measured.

    The mean of systems with class means m and class covariances S has the mean w'm and the variance w'S w, with w =
    1/k for each of k systems. So means and covariances of all systems, found once, predict all of their fusions: F =
    (m_G - m_I) / (s_G + s_I), EER = 1/2 - 1/2 erf(F / sqrt 2).

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on, and that the Gaussians and the normalisation are fitted to.
    test : Trials or data frame, optional
        The trials that are judged, for the a-priori HTER beside the EER on dev.
    systems : sequence of str, optional
        The names of the systems, two or more; all by default.
    normalise : str, default "none"
        How scores are normalised before: a name in `NORMALISATIONS` that is the same for all clients.
    largest : int, optional
        The most systems of a fusion; all by default.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-equal"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    progress : callable, optional
        Called as work proceeds, after each fusion.

    Returns
    -------
    FusionPredictions
        Every fusion, predicted and measured, and how well the order is predicted.

    Raises
    ------
    ParameterError
        Fewer than two systems, or a normalisation that is fitted for each client.

    Notes
    -----
    The prediction is as good as the Gaussians are. Scores with long tails, or heaped at the ends of their range, have
    other EERs than Gaussians with their means and variances; the order of fusions is often right nevertheless.

    References
    ----------
    N. Poh & S. Bengio, Towards predicting optimal subsets of base-experts in biometric authentication task, IDIAP-RR
    04-17, 2004.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(4000) < 2000
    >>> dev = Trials.from_arrays(rng.normal(2.0 * genuine[:, None], 1, (4000, 2)), genuine)
    >>> found = predict_fusions(dev)
    >>> round(found.fusions[0].eer_predicted, 2), round(found.fusions[0].eer, 2)
    (0.08, 0.08)
    """
    dev, test = trials_of(dev, "dev"), None if test is None else trials_of(test, "test")
    names = tuple(dev.systems if systems is None else systems)
    if len(names) < 2:
        raise ParameterError(f"a fusion needs at least two systems, not {listed(names) or 'none'}")
    if largest is not None and largest < 2:
        raise ParameterError(f"a fusion is of at least 2 systems, not of {largest}")
    if check_normalisation(normalise) in PER_CLAIM:
        raise ParameterError(f"{normalise} is fitted for each client; choose a normalisation that is the same for all")
    sets, notes = _normalised_sets(dev, test, names, normalise)
    scores, genuine = sets[0]
    found = SystemCorrelations(names, ClassGaussian.of(scores[genuine]), ClassGaussian.of(scores[~genuine]), notes)
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)

    def predicted(columns: tuple[int, ...]) -> Prediction:
        ratio = _ratio_of_mean(found, columns)
        fused = [(part[:, columns].mean(axis=1), flags) for part, flags in sets]
        classes = [(values[flags], values[~flags]) for values, flags in fused]
        hter = None
        if len(classes) > 1:
            judged = judge(TrialSets(classes[0], classes[1]), criterion=rule, alphas=weight)
            hter = float(judged.at(0).hter)
        eer = float(equal_error_rate(classes[0]).value)
        return Prediction(tuple(names[k] for k in columns), ratio, gaussian_eer(ratio), eer, hter)

    fusions = []
    for size in range(2, min(largest or len(names), len(names)) + 1):
        for columns in combinations(range(len(names)), size):
            fusions.append(predicted(columns))
            if progress is not None:
                progress()
    order = np.argsort([fusion.eer_predicted for fusion in fusions], kind="stable")
    return FusionPredictions(
        normalise,
        tuple(predicted((k,)) for k in range(len(names))),
        tuple(fusions[k] for k in order),
        found,
        _rank_correlation(fusions),
        notes,
    )


def _normalised_sets(
    dev: Trials, test: Trials | None, names: Sequence[str], normalise: str
) -> tuple[list[tuple[Floats, Any]], tuple[str, ...]]:
    """Normalised scores and classes of dev, and of test if there is one."""
    parts = [finite_scores(trials, names) for trials in (dev, test) if trials is not None]
    scale = fit_normalisation(normalise, FusionData(parts[0][0], parts[0][1]))
    notes = dict.fromkeys(note for part in parts for note in part[2])
    return [(scale.apply(scores, None), genuine) for scores, genuine, _ in parts], tuple(notes)


def _ratio_of_mean(found: SystemCorrelations, columns: Sequence[int]) -> float:
    """The F-ratio of the mean of some systems."""
    which = np.ix_(columns, columns)
    means, deviations = [], []
    for own in (found.genuine, found.impostor):
        means.append(float(own.mean[list(columns)].mean()))
        deviations.append(float(np.sqrt(max(own.covariance[which].mean(), 0.0))))
    return f_ratio(*means, *deviations)


def _rank_correlation(fusions: Sequence[Prediction]) -> float:
    from scipy.stats import rankdata

    if len(fusions) < 3:
        return float("nan")
    ranks = [rankdata([getattr(fusion, name) for fusion in fusions]) for name in ("eer_predicted", "eer")]
    if any(np.ptp(own) == 0 for own in ranks):
        return float("nan")
    return float(np.corrcoef(np.stack(ranks))[0, 1])
