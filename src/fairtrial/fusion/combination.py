"""The whole way of a fusion: normalise, fit on dev, fuse dev and test, evaluate, compare with the baselines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice
from fairtrial.claims import GIVEN
from fairtrial.errors import ParameterError, TrialsError, listed
from fairtrial.evaluation import Evaluation, evaluation_of
from fairtrial.fusion.gain import Gain, fusion_gain
from fairtrial.fusion.holding import HeldOut, client_folds, folds_within_clients, held_out_at_once
from fairtrial.fusion.methods import Fitted, Floats, FusionData, FusionMethod, as_fusion
from fairtrial.fusion.normalise import PER_CLAIM, check_normalisation, fit_normalisation
from fairtrial.fusion.selection import select_parameters
from fairtrial.judging import CHOSEN, TrialSets, judge, seed_of
from fairtrial.people import Cluster
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.rules.eer import equal_error_rate
from fairtrial.tables import COUNT_COLUMNS, RATE_COLUMNS, Column, Result, Table, interval_title, percent, plural
from fairtrial.trials import Ids, Trials

Missing: TypeAlias = Literal["error", "reject", "neutral"]
"""What becomes of a trial that lacks the score of a system, which is then infinite."""


@dataclass(frozen=True, slots=True, eq=False)
class FusedScores:
    """Fused scores of dev and test trials, each as trials of one system."""

    dev: Trials
    test: Trials
    fusion: str
    normalise: str
    systems: tuple[str, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    held_out: HeldOut = "none"
    """What was held out of the fits that the dev scores come from."""
    notes: tuple[str, ...] = ()

    @property
    def cross_validated(self) -> bool:
        """Whether the dev scores are those of held-out folds, as in Algorithm 1."""
        return self.held_out != "none"

    @property
    def name(self) -> str:
        """What the fused system is called."""
        return self.dev.systems[0]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FusionResult(Result):
    """A fused system, evaluated a priori, beside the systems it is made of."""

    scores: FusedScores
    evaluation: Evaluation
    baselines: tuple[Evaluation, ...]

    @property
    def gain(self) -> Gain:
        """How much better the fusion is than its systems."""
        return fusion_gain(self.evaluation.test.hter, [baseline.test.hter for baseline in self.baselines])

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know."""
        gain = (self.gain.note,) if self.gain.note else ()
        own = (f"{self.scores.name}: {note}" for note in self.scores.notes)
        return tuple(dict.fromkeys((*own, *gain, *self.evaluation.notes)))

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        found = self.evaluation.to_dict()
        return {
            "fusion": self.scores.fusion,
            "normalise": self.scores.normalise,
            "systems": list(self.scores.systems),
            "parameters": dict(self.scores.parameters),
            "cross_validated": self.scores.cross_validated,
            "criterion": found["criterion"],
            "alpha": found["alpha"],
            "threshold": found["threshold"],
            "dev": found["dev"],
            "test": found["test"],
            "baselines": [
                {"system": base.system, "hter": base.test.hter, "threshold": base.threshold} for base in self.baselines
            ],
            "beta_mean": self.gain.beta_mean,
            "beta_min": self.gain.beta_min,
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """The HTER of the fusion and its gain."""
        hter = f"{self.evaluation.system}, HTER {percent(self.evaluation.test.hter)}"
        return f"{hter}, gain over the best system {self.gain.beta_min:.3g}"

    def tables(self) -> tuple[Table, ...]:
        """The systems and their fusion, one row each; and the gain."""
        found = self.evaluation
        columns = (
            Column("system", "system"),
            Column("threshold", "threshold", "threshold"),
            *RATE_COLUMNS,
            Column("interval", interval_title(found.interval.confidence), "interval"),
            Column("method", "method", detail=True),
            Column("interval_threshold", "threshold of the interval", detail=True),
            Column("fused", "fused", "flag", detail=True),
            *COUNT_COLUMNS,
        )
        records = [
            {**each.test.to_dict(), "system": each.system, "threshold": each.threshold, "fused": each is found}
            | {"interval": each.interval.interval, "method": each.interval.method}
            | {"interval_threshold": each.interval.threshold}
            for each in (*self.baselines, found)
        ]
        caption = (
            f"Systems and their fusion, {found.kind}, threshold by {found.criterion.described(found.alpha)} "
            f"{CHOSEN[found.kind]}"
        )
        gains = (
            Column("beta_mean", "over the mean of the systems", "ratio"),
            Column("beta_min", "over the best", "ratio"),
        )
        notes = [f"intervals: {GIVEN[found.interval.threshold]}", *self.notes, *self._chosen()]
        return (
            Table.of("systems", caption, columns, records, notes=notes),
            Table("gain", "Gain of the fusion", gains, ((self.gain.beta_mean, self.gain.beta_min),)),
        )

    def _chosen(self) -> list[str]:
        """What was chosen by cross-validation."""
        if not self.scores.cross_validated:
            return []
        chosen = ", ".join(f"{name} {value}" for name, value in self.scores.parameters.items())
        return [f"{self.scores.name}: the folds also chose {chosen}"] if chosen else []


def fuse(
    dev: Trials,
    test: Trials,
    *,
    systems: Sequence[str] | None = None,
    fusion: str | FusionMethod = "mean",
    normalise: str = "none",
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
    missing: Missing = "error",
    folds: int = 5,
    rng: int | None = 0,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
) -> FusionResult:
    """Fuse systems and evaluate the fusion and each of them at thresholds from dev.

    Parameters
    ----------
    dev, test, systems, fusion, normalise, missing, folds, rng
        As in `fuse_scores`.
    criterion, alpha, confidence, cluster
        As in `evaluate`.

    Returns
    -------
    FusionResult
        The fusion and its systems, each evaluated, and the gain.

    Raises
    ------
    ParameterError, TrialsError
        As in `fuse_scores` and `evaluate`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(900) < 300
    >>> dev, test = (Trials.from_arrays(rng.normal(2 * genuine[:, None], 1, (900, 2)), genuine) for _ in range(2))
    >>> result = fuse(dev, test, fusion="mean")
    >>> result.gain.beta_min > 1
    True
    """
    scores = fuse_scores(
        dev,
        test,
        systems=systems,
        fusion=fusion,
        normalise=normalise,
        criterion=criterion,
        alpha=alpha,
        missing=missing,
        folds=folds,
        rng=rng,
    )
    sets = TrialSets(dev.select(scores.systems), test.select(scores.systems), cluster, seed_of(rng))
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)

    def evaluated(trials: TrialSets, system: str) -> Evaluation:
        return evaluation_of(judge(trials, system=system, criterion=rule, alphas=weight), confidence=confidence)

    baselines = tuple(evaluated(sets, name) for name in scores.systems)
    found = evaluated(sets.with_scores(scores.dev, scores.test), scores.name)
    return FusionResult(scores, found, baselines)


def fuse_scores(
    dev: Trials,
    test: Trials,
    *,
    systems: Sequence[str] | None = None,
    fusion: str | FusionMethod = "mean",
    normalise: str = "none",
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
    missing: Missing = "error",
    folds: int = 5,
    rng: int | None = 0,
) -> FusedScores:
    """Fit a fusion on dev trials and fuse the scores of dev and test trials.

    Parameters
    ----------
    dev, test
        Trials of the same systems.
    systems
        Which systems, two or more; all of them by default.
    fusion
        A registered method by its name, or a method.
    normalise
        How scores are put on a common scale first, fitted on dev; ``none`` leaves them as they are.
    criterion, alpha
        How the threshold is chosen that decides between hyper-parameters.
    missing
        What becomes of a trial that lacks the score of a system, which is then infinite: ``error`` raises an error;
        ``reject`` rejects it, by a fused score of -inf; ``neutral`` takes the system's EER threshold on dev in place
        of the score.
    folds
        How many folds, where the fused dev scores are those of held-out trials, so that a threshold from them is not
        biased; the method says so. Folds do not split a client, unless something is fitted for each client, by the
        method or by the normalisation: then every client's trials are dealt into the folds.
    rng
        The seed of the folds.

    Returns
    -------
    FusedScores
        Fused dev and test scores, each as trials of one system, and notes that say which dev scores these are.

    Raises
    ------
    ParameterError
        A method, normalisation or parameter that is not known, or scores that the method cannot be fitted on.
    TrialsError
        Fewer than two systems, missing scores, or client-dependent fusion without claim ids.
    """
    names = list(dev.systems) if systems is None else [systems] if isinstance(systems, str) else list(systems)
    method = as_fusion(fusion)
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    _check(names, dev, test, missing)
    check_normalisation(normalise)
    held_out: HeldOut = "within-clients" if normalise in PER_CLAIM else method.held_out
    data, other = _data(dev, test, names, with_claims=held_out == "within-clients")
    if held_out == "within-clients" and data.claim is None:
        what = normalise if normalise in PER_CLAIM else method.name
        raise TrialsError(f"{what} fits something for each client and needs claim ids in dev and test")
    data, other, rejected, notes = _complete(data, other, missing)
    fit = _normalised(method, normalise)
    parameters: Mapping[str, Any] = method.grid[0]
    if held_out == "none":
        fitted = fit(data, **parameters)
        fused_dev = fitted.apply(data.scores, data.claim)
    else:
        deal = client_folds if held_out == "clients" else folds_within_clients
        masks = deal(dev, folds, rng)
        choice = select_parameters(fit, data, method.grid, masks, criterion=rule, alpha=weight).best
        parameters = choice.parameters
        fitted, fused_dev = fit(data, **parameters), choice.scores
        who = "within clients" if held_out == "within-clients" else "of clients" if dev.claim else "of trials"
        notes += (f"the threshold is that of held-out dev scores, {len(masks)} folds {who}", *choice.notes)
        if data.claim is not None:
            notes += held_out_at_once(data.claim, data.genuine, masks)
    notes += (*fitted.notes, *fitted.client_notes)
    fused = [fused_dev, fitted.apply(other.scores, other.claim)]
    for values, without in zip(fused, rejected, strict=True):
        if np.isnan(values).any():
            raise ParameterError(f"{method.name} gave scores that are not numbers; normalise the scores first")
        values[without] = -np.inf
    name = f"{method.name}({' + '.join(names)})"
    return FusedScores(
        _as_trials(dev, fused[0], name),
        _as_trials(test, fused[1], name),
        method.name,
        normalise,
        tuple(names),
        parameters,
        held_out,
        tuple(dict.fromkeys(notes)),
    )


def _normalised(method: FusionMethod, normalise: str) -> Callable[..., Fitted]:
    """The fit of a method on normalised scores, both from the same trials."""
    if normalise == "none":
        return method.fit

    def fit(data: FusionData, **parameters: Any) -> Fitted:
        scale = fit_normalisation(normalise, data)
        inner = method.fit(data.with_scores(scale.apply(data.scores, data.claim)), **parameters)
        return Fitted(
            lambda scores, claim: inner.apply(scale.apply(scores, claim), claim),
            (*scale.notes, *inner.notes),
            (*scale.client_notes, *inner.client_notes),
        )

    return fit


def _check(names: Sequence[str], dev: Trials, test: Trials, missing: str) -> None:
    check_choice("missing", missing, get_args(Missing))
    if len(names) < 2:
        given = f"only one was given: {listed(names)}" if any(names) else "none was given"
        raise TrialsError(f"a fusion needs at least two systems; {given}")
    if len(set(names)) != len(names):
        raise ParameterError(f"a system is named twice: {listed(names)}")
    for trials in (dev, test):
        for name in names:
            trials.check_system(name)


def _data(dev: Trials, test: Trials, names: Sequence[str], *, with_claims: bool) -> tuple[FusionData, FusionData]:
    claims: list[NDArray[np.int64] | None] = [None, None]
    count = 0
    if with_claims and dev.claim is not None and test.claim is not None:
        # numbered anew: tables of names may hold people of no trial
        used, numbers = np.unique(Ids.concat([dev.claim, test.claim]).codes, return_inverse=True)
        claims, count = list(np.split(numbers, [len(dev)])), len(used)
    parts = []
    for trials, claim in zip((dev, test), claims, strict=True):
        columns = [trials.column(name) for name in names]
        scores = np.empty((len(trials), len(names)), order="F")
        for k, column in enumerate(columns):
            scores[:, k] = column
        parts.append(FusionData(scores, trials.genuine, claim, count))
    return parts[0], parts[1]


def _complete(
    data: FusionData, other: FusionData, missing: Missing
) -> tuple[FusionData, FusionData, list[NDArray[np.bool_]], tuple[str, ...]]:
    """Data without infinite scores, which trials are rejected in the end, and a note."""
    if any(np.isposinf(part.scores).any() for part in (data, other)):
        raise TrialsError(
            "a score of inf cannot be fused: it is neither a number nor missing, as -inf is; give it a finite value, "
            "or make it NaN and decide what happens to a trial without a score"
        )
    lacking = [np.isneginf(part.scores) for part in (data, other)]
    count = sum(int(np.count_nonzero(where.any(axis=1))) for where in lacking)
    none = [np.zeros(len(part.genuine), dtype=bool) for part in (data, other)]
    if not count:
        return data, other, none, ()
    if missing == "error":
        raise TrialsError(
            f"{plural(count, 'trial')} without the score of a system; decide what happens to such trials: "
            'missing="reject" rejects them, missing="neutral" takes a neutral score'
        )
    filler = np.array(
        [_neutral(column, data.genuine, where) for column, where in zip(data.scores.T, lacking[0].T, strict=True)]
    )
    filled = [
        part.with_scores(np.where(where, filler, part.scores))
        for part, where in zip((data, other), lacking, strict=True)
    ]
    rejected = [np.asarray(where.any(axis=1)) for where in lacking] if missing == "reject" else none
    done = "rejected" if missing == "reject" else "the system's EER threshold on dev takes its place"
    return filled[0], filled[1], rejected, (f"{plural(count, 'trial')} without the score of a system: {done}",)


def _neutral(column: Floats, genuine: NDArray[np.bool_], lacking: NDArray[np.bool_]) -> float:
    known = ~lacking
    if not (known & genuine).any() or not (known & ~genuine).any():
        raise TrialsError("a system has no score for a whole class of dev trials; leave it out")
    threshold = float(equal_error_rate((column[known & genuine], column[known & ~genuine])).threshold)
    # -inf: all scores are equal
    return threshold if np.isfinite(threshold) else float(column[known].min())


def _as_trials(trials: Trials, scores: Floats, name: str) -> Trials:
    return replace(trials, scores=scores[:, None], systems=(name,))
