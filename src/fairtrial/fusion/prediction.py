"""Predict fusions from Gaussian fits of their systems: the F-ratio of Poh & Bengio."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from fairtrial.core.errors import ParameterError, check_choice
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Table
from fairtrial.core.words import listed, percent, plural
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.correlation import ClassGaussian, SystemCorrelations, finite_scores
from fairtrial.fusion.methods import FusionData
from fairtrial.fusion.normalise import NORMALISATIONS, PER_CLAIM, fit_normalisation
from fairtrial.inference.decide import judge
from fairtrial.inference.split import TrialSets
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.eer import equal_error_rate

_SHOWN = 20
"""Number of fusions that are shown; files have all."""


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
        The separation of the classes; infinite if neither has any spread, NaN if their means are equal, too.

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
        The F-ratio; below 0 if genuine scores are the lower ones.

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
class Prediction(Record):
    """One system or one fusion: predicted by Gaussians, and measured."""

    FIELDS: ClassVar = (
        Field("systems", "systems", get=lambda found: " + ".join(found.systems), in_json=False),
        Field("systems"),
        Field("f_ratio", "F-ratio", "number"),
        Field("eer_predicted", "predicted EER", "rate"),
        Field("eer", "EER on dev", "rate"),
        Field("hter", "HTER on test", "rate"),
    )

    systems: tuple[str, ...]
    f_ratio: float
    eer_predicted: float
    eer: float
    """Measured on dev, a posteriori."""
    hter: float | None
    """Measured on test, a priori; None without test trials."""


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
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> from fairtrial.fusion import predict_fusions
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> predict_fusions(dev).fusions[0].systems
    ('face', 'voice')
    """

    FIELDS: ClassVar = (
        Field("normalise"),
        Field("systems"),
        Field("fusions"),
        Field("rank_correlation"),
        Field("correlations", get=lambda found: found.correlations.pairs()),
        Field("notes"),
    )

    normalise: str
    systems: tuple[Prediction, ...]
    fusions: tuple[Prediction, ...]
    correlations: SystemCorrelations
    rank_correlation: float
    notes: tuple[Note, ...] = ()

    def answer(self) -> str:
        """Give the fusion that is predicted to be best."""
        best = self.fusions[0]
        return (
            f"{plural(len(self.fusions), 'fusion')}, best predicted: {listed(best.systems, 4)}, EER "
            f"{percent(best.eer_predicted)} predicted, {percent(best.eer)} measured"
        )

    def tables(self) -> tuple[Table, ...]:
        """Give fusions, single systems, and correlations by class."""
        fields = Prediction.FIELDS if self.fusions[0].hter is not None else Prediction.FIELDS[:-1]
        notes = [
            Note("predicted", "predicted from Gaussian fits of the dev scores of each class, and their covariances"),
            *self.notes,
        ]
        count = len(self.fusions)
        if count > _SHOWN:
            notes.append(Note("best-shown", "the best {shown} of {count} fusions are shown", shown=_SHOWN, count=count))
        if not np.isnan(self.rank_correlation):
            template = "rank correlation of predicted and measured EERs: {rank_correlation:.3f}"
            notes.append(Note("rank-correlation", template, rank_correlation=self.rank_correlation))
        scale = "" if self.normalise == "none" else f", normalisation {self.normalise}"
        caption = f"Fusions by the mean{scale}, the best predicted first"
        return (
            table_of("fusions", caption, fields, self.fusions, notes=notes, shown=range(min(_SHOWN, count))),
            table_of("systems", "Single systems", fields, self.systems),
            *self.correlations.tables(),
        )


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
    """Predict the error of every fusion by the mean from Gaussian fits of its systems, and measure it.

    The mean of systems with class means m and class covariances S has the mean w'm and the variance w'S w, with w =
    1/k for each of k systems. Means and covariances of all systems, computed once, thus predict all of their fusions:
    F = (m_G - m_I) / (s_G + s_I), EER = 1/2 - 1/2 erf(F / sqrt 2).

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
        If there are fewer than two systems, or the normalisation is unknown or fitted for each client.

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
    >>> from fairtrial import Trials
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(4000) < 2000
    >>> dev = Trials.from_arrays(rng.normal(2.0 * genuine[:, None], 1, (4000, 2)), genuine)
    >>> found = predict_fusions(dev)
    >>> round(found.fusions[0].eer_predicted, 2), round(found.fusions[0].eer, 2)
    (0.08, 0.08)
    """
    names = tuple(trials_of(dev, "dev").systems if systems is None else systems)
    if len(names) < 2:
        raise ParameterError(f"a fusion needs at least two systems, not {listed(names) or 'none'}", code="one-system")
    if largest is not None and largest < 2:
        raise ParameterError("{largest!p} must be at least 2, not {size}", largest=largest, size=largest)
    check_choice("normalise", normalise, NORMALISATIONS)
    if normalise in PER_CLAIM:
        raise ParameterError(
            "{normalise!o} is fitted for each client; choose a normalisation that is the same for all",
            normalise=normalise,
        )
    parts = [
        finite_scores(trials_of(part, name), names) for part, name in ((dev, "dev"), (test, "test")) if part is not None
    ]
    scale = fit_normalisation(normalise, FusionData(*parts[0][:2]))
    sets = [(scale.apply(scores, None), genuine) for scores, genuine, _ in parts]
    notes = tuple(dict.fromkeys(note for part in parts for note in part[2]))
    scores, genuine = sets[0]
    gaussians = ClassGaussian.of(scores[genuine]), ClassGaussian.of(scores[~genuine])
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)

    def predicted(columns: tuple[int, ...]) -> Prediction:
        means = [float(own.mean[list(columns)].mean()) for own in gaussians]
        variances = [float(own.covariance[np.ix_(columns, columns)].mean()) for own in gaussians]
        ratio = f_ratio(*means, *(float(np.sqrt(max(variance, 0.0))) for variance in variances))
        fused = [(part[:, columns].mean(axis=1), flags) for part, flags in sets]
        classes = [(values[flags], values[~flags]) for values, flags in fused]
        hter = None
        if len(classes) > 1:
            hter = float(judge(TrialSets(classes[0], classes[1]), criterion=rule, alphas=weight).at(0).hter)
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
        SystemCorrelations(names, *gaussians, notes),
        _rank_correlation(fusions),
        notes,
    )


def _rank_correlation(fusions: Sequence[Prediction]) -> float:
    """Compute Spearman's correlation of predicted and measured EERs; NaN if it is not defined."""
    from scipy.stats import rankdata

    ranks = [rankdata([getattr(fusion, name) for fusion in fusions]) for name in ("eer_predicted", "eer")]
    if len(fusions) < 3 or any(np.ptp(own) == 0 for own in ranks):
        return float("nan")
    return float(np.corrcoef(np.stack(ranks))[0, 1])
