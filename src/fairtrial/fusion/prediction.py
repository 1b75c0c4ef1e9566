"""Correlation of systems within each class of trials, and fusions predicted from Gaussian fits: the F-ratio."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.results import Field, Record, Result, table_of
from fairtrial.core.tables import Table
from fairtrial.core.trials import Trials, TrialsLike, trials_of
from fairtrial.core.words import in_a_row, listed, percent, plural
from fairtrial.fusion.model import FusionData, score_matrix, system_names
from fairtrial.fusion.normalise import PER_CLAIM, fit_normalisation
from fairtrial.inference.decide import judge
from fairtrial.inference.split import TrialSets
from fairtrial.inference.variance import Floats
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.eer import equal_error_rate

_SHOWN = 20
"""Number of fusions that are shown; files have all."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassGaussian:
    """A Gaussian fitted to the scores of one class: means and covariances of all systems."""

    mean: Floats
    covariance: Floats
    trials: int

    @classmethod
    def of(cls, scores: Floats) -> ClassGaussian:
        """Fit a Gaussian to scores, one row per trial and one column per system, by maximum likelihood."""
        return cls(scores.mean(axis=0), np.atleast_2d(np.cov(scores, rowvar=False, bias=True)), len(scores))

    @property
    def correlation(self) -> Floats:
        """Correlations of the systems; NaN for a system whose scores are all equal."""
        spread = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.clip(self.covariance / np.outer(spread, spread), -1, 1))


@dataclass(frozen=True, slots=True)
class PairCorrelation(Record):
    """Correlations of two systems within each class."""

    FIELDS: ClassVar = (
        Field("a", "A"),
        Field("b", "B"),
        Field("genuine", "within genuine trials", "number"),
        Field("impostor", "within impostor trials", "number"),
    )

    a: str
    b: str
    genuine: float
    impostor: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SystemCorrelations(Result):
    """Correlations of systems within genuine and within impostor trials.

    Attributes
    ----------
    systems : tuple of str
        The systems' names.
    genuine, impostor : ClassGaussian
        Means, covariances and correlations within the class, systems in their order.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> from fairtrial import load_dataset
    >>> from fairtrial.fusion import system_correlations
    >>> dev, test = load_dataset("lausanne", set="LP2")
    >>> system_correlations(dev).genuine.correlation.shape
    (5, 5)
    """

    FIELDS: ClassVar = (
        Field("correlations", get=lambda correlations: correlations.pairs()),
        Field("genuine", get="genuine.trials"),
        Field("impostor", get="impostor.trials"),
        Field("notes"),
    )

    systems: tuple[str, ...]
    genuine: ClassGaussian
    impostor: ClassGaussian
    notes: tuple[Note, ...] = ()

    def pairs(self) -> list[PairCorrelation]:
        """Give both correlations of each pair of systems.

        Returns
        -------
        list of PairCorrelation
            One entry per pair: its systems `a` and `b`, and its correlations `genuine` and `impostor`.
        """
        genuine, impostor = self.genuine.correlation, self.impostor.correlation
        return [
            PairCorrelation(self.systems[i], self.systems[j], float(genuine[i, j]), float(impostor[i, j]))
            for i, j in combinations(range(len(self.systems)), 2)
        ]

    def answer(self) -> str:
        """Name the pair of systems with the highest correlation."""
        pair = max(self.pairs(), key=lambda pair: pair.genuine + pair.impostor)
        return (
            f"{pair.a} and {pair.b} have the highest correlation of {plural(len(self.systems), 'system')}: "
            f"{pair.genuine:.2f} within {self.genuine.trials:,} genuine and {pair.impostor:.2f} within "
            f"{self.impostor.trials:,} impostor trials"
        )

    def tables(self) -> tuple[Table, ...]:
        """Tabulate both correlations of each pair of systems."""
        trials = f"{self.genuine.trials:,} genuine and {self.impostor.trials:,} impostor trials"
        caption = f"Correlation of systems by class, {trials}"
        return (table_of("correlations", caption, PairCorrelation.FIELDS, self.pairs(), notes=self.notes),)


def system_correlations(trials: TrialsLike, *, systems: Sequence[str] | None = None) -> SystemCorrelations:
    """Compute the correlation of systems within each class of trials.

    Over all trials, any two systems that work are correlated, as both give genuine trials higher scores. The gain of
    a fusion depends on the correlation within each class.

    Parameters
    ----------
    trials : Trials or data frame
        Trials, or a data frame of them, of two or more systems.
    systems : sequence of str, optional
        The names of the systems; all by default.

    Returns
    -------
    SystemCorrelations
        Means, covariances and correlations within genuine and within impostor trials.

    Raises
    ------
    TrialsError
        If a system is unknown, or a class has fewer than two trials with finite scores.
    ParameterError
        If there are fewer than two systems.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 5 and Fig. 2: Gaussian
    fits of each class.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(3000) < 1000
    >>> shared, rest = rng.normal(size=(3000, 1)), rng.normal(size=(3000, 2))
    >>> trials = Trials.from_arrays(2 * genuine[:, None] + shared + rest, genuine)
    >>> round(float(system_correlations(trials).impostor.correlation[0, 1]), 1)
    0.5
    """
    trials = trials_of(trials, "trials")
    names = system_names(trials, systems)
    if len(names) < 2:
        raise ParameterError(
            f"a correlation needs at least two systems, not {listed(names) or 'none'}", code="one-system"
        )
    trials, notes = _finite_trials(trials, names)
    genuine, impostor = map(ClassGaussian.of, FusionData(score_matrix(trials, names), trials.genuine).by_class)
    return SystemCorrelations(names, genuine, impostor, notes)


def _finite_trials(trials: Trials, names: Sequence[str]) -> tuple[Trials, tuple[Note, ...]]:
    """Select the trials with finite scores of all of these systems, and note the others."""
    finite = np.isfinite(score_matrix(trials, names)).all(axis=1)
    trials = trials.rows(np.flatnonzero(finite))
    if min(np.count_nonzero(trials.genuine), np.count_nonzero(~trials.genuine)) < 2:
        raise TrialsError(
            "there must be at least two trials of each class with finite scores of all systems", code="few-trials"
        )
    lost = int(np.count_nonzero(~finite))
    template = "{count:plural trial} without the score of a system left out"
    return trials, (Note("missing-scores", template, count=lost),) if lost else ()


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
        The separation of the classes; infinite if neither has any spread, NaN if their means are also equal.

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
    """Predicted and measured errors of one system or fusion.

    The EER is measured on dev, a posteriori, the HTER on test, a priori; it is None without test trials.
    """

    FIELDS: ClassVar = (
        Field("systems", "systems", get=lambda prediction: " + ".join(prediction.systems), in_json=False),
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
    hter: float | None


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
    >>> from fairtrial import load_dataset
    >>> from fairtrial.fusion import predict_fusions
    >>> dev, test = load_dataset("lausanne", set="LP2")
    >>> predict_fusions(dev, largest=2).fusions[0].systems
    ('(FH,MLP)', '(SSC,GMM)')
    """

    FIELDS: ClassVar = (
        Field("normalise"),
        Field("systems"),
        Field("fusions"),
        Field("rank_correlation"),
        Field("correlations", get=lambda predictions: predictions.correlations.pairs()),
        Field("notes"),
    )

    normalise: str
    systems: tuple[Prediction, ...]
    fusions: tuple[Prediction, ...]
    correlations: SystemCorrelations
    rank_correlation: float
    notes: tuple[Note, ...] = ()

    def answer(self) -> str:
        """Name the fusion that is predicted to be best, with its predicted and measured errors, and the best on dev."""
        best, measured = self.fusions[0], min(self.fusions, key=lambda fusion: fusion.eer)
        hter = "" if best.hter is None else f", HTER {percent(best.hter)} on test"
        of = f" of {len(self.fusions)} fusions" if len(self.fusions) > 1 else ""
        other = ""
        if measured.eer < best.eer:
            other = f"; on dev {in_a_row(measured.systems)} is the best ({percent(measured.eer)})"
        return (
            f"The mean of {in_a_row(best.systems)} is predicted to be the best{of}: EER {percent(best.eer_predicted)} "
            f"predicted, {percent(best.eer)} on dev{hter}{other}"
        )

    def tables(self) -> tuple[Table, ...]:
        """Tabulate fusions and single systems; correlations by class in detail."""
        fields = Prediction.FIELDS if self.fusions[0].hter is not None else Prediction.FIELDS[:-1]
        notes = [
            Note("predicted", "predicted from Gaussian fits of the dev scores of each class", detail=True),
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
            *(replace(table, detail=True) for table in self.correlations.tables()),
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
    progress: Callable[[float], None] | None = None,
) -> FusionPredictions:
    """Predict the error of every fusion by the mean from Gaussian fits of its systems, and measure it.

    The mean of k systems with class means m and class covariances S has the mean w'm and the variance w'S w, with w =
    1/k for each of them. Means and covariances of all systems, computed once, thus predict all fusions:
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
        The normalisation of the scores: a name in `NORMALISATIONS` that is the same for all clients.
    largest : int, optional
        The most systems of a fusion; all by default.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-equal"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    progress : callable, optional
        Called as work proceeds, with the proportion of it done since the last call; they sum to 1.

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
    The prediction is as good as the Gaussian fits. Scores with long tails, or heaped at the ends of their range, have
    other EERs than Gaussians with the same means and variances; the order of fusions is often right nevertheless.

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
    >>> best = predict_fusions(dev).fusions[0]
    >>> round(best.eer_predicted, 2), round(best.eer, 2)
    (0.08, 0.08)
    """
    from scipy.stats import rankdata

    names = system_names(trials_of(dev, "dev"), systems)
    if len(names) < 2:
        raise ParameterError(f"a fusion needs at least two systems, not {listed(names) or 'none'}", code="one-system")
    if largest is not None and largest < 2:
        raise ParameterError("{largest!p} must be at least 2, not {size}", largest=largest, size=largest)
    if normalise in PER_CLAIM:
        raise ParameterError(
            "{normalise!o} is fitted for each client; choose a normalisation that is the same for all",
            normalise=normalise,
        )
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    given = [trials_of(part, name) for part, name in ((dev, "dev"), (test, "test")) if part is not None]
    parts = [_finite_trials(part, names) for part in given]
    notes = tuple(dict.fromkeys(note for _, notes in parts for note in notes))
    if test is not None:
        notes += tuple(note for note in TrialSets(given[0], given[1]).notes if isinstance(note, Note) and note.warning)
    judged = TrialSets(parts[0][0], parts[-1][0])
    notes += tuple(note for name in names for note in judge(judged, system=name).reversed_scores())
    data = [FusionData(score_matrix(part, names), part.genuine) for part, _ in parts]
    scale = fit_normalisation(normalise, data[0])
    sets = [each.with_scores(scale.apply(each.scores, None)).by_class for each in data]
    gaussians = ClassGaussian.of(sets[0][0]), ClassGaussian.of(sets[0][1])

    def predicted(columns: tuple[int, ...]) -> Prediction:
        means = [float(gaussian.mean[list(columns)].mean()) for gaussian in gaussians]
        variances = [float(gaussian.covariance[np.ix_(columns, columns)].mean()) for gaussian in gaussians]
        ratio = f_ratio(*means, *(float(np.sqrt(max(variance, 0.0))) for variance in variances))
        fused = [(genuine[:, columns].mean(axis=1), impostor[:, columns].mean(axis=1)) for genuine, impostor in sets]
        eer, hter = float(equal_error_rate(fused[0]).value), None
        if test is not None:
            hter = float(judge(TrialSets(fused[0], fused[1]), criterion=rule, alphas=weight).at(0).hter)
        return Prediction(tuple(names[k] for k in columns), ratio, gaussian_eer(ratio), eer, hter)

    sizes = range(2, min(largest or len(names), len(names)) + 1)
    chosen = [columns for size in sizes for columns in combinations(range(len(names)), size)]
    fusions = []
    for columns in chosen:
        fusions.append(predicted(columns))
        if progress is not None:
            progress(1 / len(chosen))
    ranks = [rankdata([getattr(fusion, name) for fusion in fusions]) for name in ("eer_predicted", "eer")]
    defined = len(fusions) > 2 and all(np.ptp(rank) > 0 for rank in ranks)
    order = np.argsort([fusion.eer_predicted for fusion in fusions], kind="stable")
    return FusionPredictions(
        normalise,
        tuple(predicted((k,)) for k in range(len(names))),
        tuple(fusions[k] for k in order),
        SystemCorrelations(names, *gaussians, notes),
        float(np.corrcoef(np.stack(ranks))[0, 1]) if defined else float("nan"),
        notes,
    )
