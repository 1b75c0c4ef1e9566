"""Combine the scores of several systems: missing scores, hyper-parameters, dev and test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, check_choice
from fairtrial.core.notes import Note
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.methods import (
    Claims,
    Fitted,
    Floats,
    FusionData,
    FusionMethod,
    HeldOut,
    Step,
    as_fusion,
    client_folds,
    folds_within_clients,
    held_out_at_once,
    spread_of,
)
from fairtrial.fusion.normalise import NORMALISATIONS, PER_CLAIM, fit_normalisation
from fairtrial.rules.criteria import CriterionLike, as_criterion, choose_thresholds
from fairtrial.rules.eer import equal_error_rate

Missing: TypeAlias = Literal["error", "reject", "neutral"]
"""What becomes of a trial that lacks the score of a system, which is then -inf."""
_MISSING = "{count:plural trial} without the score of a system: "


@dataclass(frozen=True, slots=True, eq=False)
class MissingScores:
    """How trials are treated that lack a score: a policy, and a neutral score for each system."""

    policy: Missing
    neutral: Floats
    """The EER threshold of each system on dev; empty if the policy is ``error``."""

    @classmethod
    def fitted(cls, policy: Missing, data: FusionData) -> MissingScores:
        """Take the neutral scores from dev trials."""
        neutral = []
        for column in data.scores.T if policy != "error" else ():
            finite = np.isfinite(column)
            genuine, impostor = column[finite & data.genuine], column[finite & ~data.genuine]
            if not len(genuine) or not len(impostor):
                raise TrialsError("a system has no score for a whole class of dev trials; leave it out")
            threshold = float(equal_error_rate((genuine, impostor)).threshold)
            # -inf: all scores are equal
            neutral.append(threshold if np.isfinite(threshold) else float(column[finite].min()))
        return cls(policy, np.array(neutral))

    def check(self, *parts: Floats) -> tuple[Note, ...]:
        """Note how many trials lack a score; raise an error if the policy says so, or if a score is inf."""
        if any(np.isposinf(scores).any() for scores in parts):
            raise TrialsError(
                "a score of inf cannot be fused; give it a finite value, or make it NaN to treat it as missing"
            )
        count = sum(int(np.count_nonzero(np.isneginf(scores).any(axis=1))) for scores in parts)
        if count and self.policy == "error":
            raise TrialsError(
                "{count:plural trial} without the score of a system; decide what happens to such trials by "
                "{missing!p}: reject rejects them, neutral takes a neutral score",
                code="missing-scores",
                count=count,
                missing=self.policy,
            )
        done = "rejected" if self.policy == "reject" else "scored at the system's EER threshold on dev"
        return (Note("missing-scores", f"{_MISSING}{done}", count=count, policy=self.policy),) if count else ()

    def fill(self, scores: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Fill in neutral scores, and say which trials are to be rejected."""
        lacking = np.isneginf(scores)
        if not lacking.any():
            return scores, np.zeros(len(scores), dtype=bool)
        rejected = lacking.any(axis=1) & (self.policy == "reject")
        return np.where(lacking, self.neutral, scores), np.asarray(rejected)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Hyper-parameters, and the errors that all held-out trials together make at one threshold."""

    parameters: Mapping[str, Any]
    counts: ErrorCounts
    scores: Floats
    """Scores of the held-out trials of all folds, in the order of the trials."""
    notes: tuple[Note | str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What cross-validation chose, and everything it tried."""

    best: Candidate
    candidates: tuple[Candidate, ...]


def select_parameters(
    fit: Callable[..., Fitted],
    data: FusionData,
    grid: Sequence[Mapping[str, Any]],
    folds: Sequence[NDArray[np.bool_]] | None,
    *,
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
) -> Selection:
    """Choose hyper-parameters by cross-validation with one threshold for all held-out folds.

    For each candidate the scores of all held-out folds are pooled into one set; one threshold is chosen on it, and
    the HTER there decides. The threshold of the best candidate is also the one for the test set.

    Parameters
    ----------
    fit : callable
        ``fit(data, **parameters)``, such as that of any registered fusion method.
    data : FusionData
        Scores and classes of dev trials.
    grid : sequence of dict
        The candidates: hyper-parameters by name.
    folds : sequence of ndarray of bool or None
        Which trials are held out in each fold, masks of shape (trials,); together all of them, each once. Without
        folds, candidates are judged on the trials they were fitted on, which the paper allows (section 2.2): "the
        threshold calculated this way is often surprisingly acceptable".
    criterion : str, Criterion, DetectionCosts or callable, default "wer-equal"
        How the threshold is chosen on dev that decides between hyper-parameters: a name in `CRITERIA`, a criterion,
        detection costs, or a function ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.

    Returns
    -------
    Selection
        The candidate with the lowest HTER, the first of equals, and all others.

    Raises
    ------
    ParameterError
        If there is no candidate, or no fold.
    TrialsError
        If the folds do not hold out every trial once, or leave no trial of a class to fit on.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, appendix A, Algorithm 1.

    Examples
    --------
    >>> from fairtrial.fusion.methods import FUSIONS
    >>> scores = np.array([[0.9, 0.8], [0.7, 0.4], [0.3, 0.1], [0.2, 0.5], [0.6, 0.9], [0.1, 0.2]])
    >>> data = FusionData(scores, np.array([True, True, False, False, True, False]))
    >>> folds = [np.arange(6) % 2 == k for k in range(2)]
    >>> select_parameters(FUSIONS["mean"].fit, data, [{}], folds).best.parameters
    {}
    """
    if not grid:
        raise ParameterError("there must be at least one candidate to choose from")
    if folds is not None and not len(folds):
        raise ParameterError("there must be at least two folds; none was given")
    if folds is not None and not np.all(np.sum(np.stack(folds), axis=0) == 1):
        raise TrialsError("every trial must be held out in exactly one fold")
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    candidates = []
    for parameters in grid:
        scores, notes = np.empty(len(data.genuine)), list[Note | str]()
        for held_out in folds or ():
            rest = data.rows(~held_out)
            rest.check_classes("a fold")
            fitted = fit(rest, **parameters)
            claim = None if data.claim is None else data.claim[held_out]
            scores[held_out] = fitted.apply(data.scores[held_out], claim)
            notes += fitted.notes
        if folds is None:
            scores = fit(data, **parameters).apply(data.scores, data.claim)
        counts = choose_thresholds((scores[data.genuine], scores[~data.genuine]), rule, weight)[0].scalar()
        candidates.append(Candidate(parameters, counts, scores, tuple(dict.fromkeys(notes))))
    best = min(candidates, key=lambda candidate: candidate.counts.hter)
    return Selection(best, tuple(candidates))


Inner: TypeAlias = Literal["auto", "folds", "none"]
"""Where the fused dev scores, and so the threshold, come from: as the method says, held-out folds, or the fit."""
_WIDER = 3.0
"""Ratio of the standard deviations of two systems from which a note says so."""


@dataclass(frozen=True, slots=True, eq=False)
class FusedScores:
    """Fused scores of dev and test trials, each as trials of one system.

    Attributes
    ----------
    dev : Trials
        The dev trials with one system, the fused one; none of them if a saved fusion was applied.
    test : Trials
        The test trials with the same system.
    fusion : str
        The name of the fusion method.
    normalise : str
        The name of the normalisation.
    systems : tuple of str
        The names of the systems that were fused.
    parameters : dict
        The hyper-parameters that were chosen.
    held_out : {"none", "clients", "within-clients"}
        What was held out of the fits that the dev scores come from.
    notes : tuple of Note
        What the reader should know.
    steps : tuple of Step
        What was fitted, normalisation and method, as names and numbers; empty if that is not possible.
    clients : tuple of str
        The clients of the rows of client-dependent numbers.
    missing : MissingScores or None
        How trials that lack a score were treated.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> from fairtrial.fusion import fuse_scores
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> found = fuse_scores(dev, test, fusion="weighted-mean", normalise="z")
    >>> found.name, len(found.test)
    ('weighted-mean(face + voice)', 200)
    """

    dev: Trials
    test: Trials
    fusion: str
    normalise: str
    systems: tuple[str, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    held_out: HeldOut = "none"
    notes: tuple[Note | str, ...] = ()
    steps: tuple[Step, ...] = ()
    clients: tuple[str, ...] = ()
    missing: MissingScores | None = None

    @property
    def cross_validated(self) -> bool:
        """Whether the dev scores are those of held-out folds, as in Algorithm 1."""
        return self.held_out != "none"

    @property
    def name(self) -> str:
        """The name of the fused system."""
        return self.test.systems[0]


def fuse_scores(
    dev: TrialsLike,
    test: TrialsLike,
    *,
    systems: Sequence[str] | None = None,
    fusion: str | FusionMethod = "mean",
    normalise: str = "none",
    criterion: CriterionLike = "wer-equal",
    alpha: float | None = None,
    missing: Missing = "error",
    inner: Inner = "auto",
    folds: int = 5,
    rng: np.random.Generator | int | None = 0,
    progress: Callable[[float], None] | None = None,
) -> FusedScores:
    """Fit a fusion on dev trials and fuse the scores of dev and test trials.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on.
    test : Trials or data frame
        The trials that are judged.
    systems : sequence of str, optional
        The names of the systems, two or more; all by default.
    fusion : str or FusionMethod, default "mean"
        A fusion method, or its name in `FUSIONS`.
    normalise : str, default "none"
        How scores are normalised before: a name in `NORMALISATIONS`, fitted on dev.
    criterion : str, Criterion, DetectionCosts or callable, default "wer-equal"
        How the threshold is chosen on dev that decides between hyper-parameters: a name in `CRITERIA`, a criterion,
        detection costs, or a function ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    missing : {"error", "reject", "neutral"}, default "error"
        What becomes of a trial that lacks the score of a system: ``error`` raises an error; ``reject`` rejects it, by a
        fused score of -inf; ``neutral`` takes the system's EER threshold on dev in place of the score.
    inner : {"auto", "folds", "none"}, default "auto"
        Where the fused dev scores come from, on which thresholds and hyper-parameters are chosen. ``folds``: from
        trials that are held out of the fit, fold by fold, as in Algorithm 1. ``none``: from the trials that the fusion
        was fitted on, which is quicker and makes it look better on dev than it is. ``auto``: as the method says.
    folds : int, default 5
        How many folds the dev trials are dealt into. They do not split a client, unless something is fitted for each
        client, by the method or by the normalisation: then every client's trials are dealt into the folds.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    progress : callable, optional
        Called as work proceeds, with the share of the fits that are done, from 0 to 1.

    Returns
    -------
    FusedScores
        Fused dev and test scores, each as trials of one system, and notes that say which dev scores these are.

    Raises
    ------
    ParameterError
        If a method, normalisation or parameter is unknown, or the method cannot be fitted on these scores.
    TrialsError
        If there are fewer than two systems, missing scores, or no claim ids for a client-dependent fusion.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [2.0, 2.5]))
    >>> trials = Trials.from_arrays(scores, genuine, systems=["face", "voice"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> fuse_scores(dev, test, fusion="product", normalise="min-max").test
    <Trials: 200 trials (50 genuine, 150 impostor), 1 system: product(face + voice); ids: none>
    """
    dev, test = trials_of(dev, "dev"), trials_of(test, "test")
    names = list(dev.systems) if systems is None else [systems] if isinstance(systems, str) else list(systems)
    method, rule = as_fusion(fusion), as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    check_choice("missing", missing, get_args(Missing))
    check_choice("inner", inner, get_args(Inner))
    check_choice("normalise", normalise, NORMALISATIONS)
    if len(names) < 2:
        given = f"only one was given: {listed(names)}" if any(names) else "none was given"
        raise TrialsError(f"a fusion needs at least two systems; {given}", code="one-system")
    if len(set(names)) != len(names):
        raise ParameterError(f"a system is named twice: {listed(names)}", code="named-twice")
    for trials in (dev, test):
        for name in names:
            trials.check_system(name)

    clients: tuple[str, ...] = ()
    claims: tuple[Claims, Claims] = (None, None)
    strangers = 0
    by_client = normalise in PER_CLAIM or method.held_out == "within-clients"
    if by_client:
        if dev.claim is None or test.claim is None:
            what = normalise if normalise in PER_CLAIM else method.name
            raise TrialsError(f"{what} is fitted for each client and needs claim ids in dev and test", code="no-claims")
        clients = tuple(dict.fromkeys(dev.claim.decode().tolist()))
        claims = client_numbers(dev, clients), client_numbers(test, clients)
        strangers = len({*test.claim.decode().tolist()} - {*clients})
    data, other = (
        FusionData(score_matrix(trials, names), trials.genuine, claim, len(clients), strangers)
        for trials, claim in zip((dev, test), claims, strict=True)
    )
    gaps = MissingScores.fitted(missing, data)
    notes: list[Note | str] = [*gaps.check(data.scores, other.scores)]
    (filled, reject_dev), (filled_other, reject_test) = gaps.fill(data.scores), gaps.fill(other.scores)
    data, other = data.with_scores(filled), other.with_scores(filled_other)

    held_out: HeldOut = "within-clients" if by_client else "clients" if inner == "folds" else method.held_out
    if inner == "none":
        held_out = "none"
    fits, done = 1 + len(method.grid) * (1 if held_out == "none" else folds), 0

    def fit(data: FusionData, **parameters: Any) -> Fitted:
        """Fit the normalisation and the method on the same trials."""
        nonlocal done
        scale = fit_normalisation(normalise, data)
        own = method.fit(data.with_scores(scale.apply(data.scores, data.claim)), **parameters)
        done += 1
        if progress is not None:
            progress(min(done / fits, 1.0))
        return Fitted(
            lambda scores, claim: own.apply(scale.apply(scores, claim), claim),
            own.notes,
            (*scale.client_notes, *own.client_notes),
            (*scale.steps, *own.steps) if own.steps else (),
        )

    parameters, fused_dev = method.grid[0], None
    if held_out != "none":
        masks = (client_folds if held_out == "clients" else folds_within_clients)(dev, folds, rng)
        best = select_parameters(fit, data, method.grid, masks, criterion=rule, alpha=weight).best
        parameters, fused_dev = best.parameters, best.scores
        units = "within clients" if held_out == "within-clients" else "of clients" if dev.claim else "of trials"
        template = "the threshold comes from held-out dev scores, {folds} folds {units}"
        notes += [Note("held-out", template, folds=len(masks), units=units), *best.notes]
        if data.claim is not None:
            notes += held_out_at_once(data.claim, data.genuine, masks)
    else:
        if method.held_out != "none" or by_client:
            template = "the threshold comes from dev scores that the fusion was fitted on, which are optimistic"
            notes.append(Note("fitted-dev", template, warning=True))
        if len(method.grid) > 1:
            best = select_parameters(fit, data, method.grid, None, criterion=rule, alpha=weight).best
            parameters = best.parameters

    fitted = fit(data, **parameters)
    fused = [
        fitted.apply(data.scores, data.claim) if fused_dev is None else fused_dev,
        fitted.apply(other.scores, other.claim),
    ]
    for values, rejected in zip(fused, (reject_dev, reject_test), strict=True):
        if np.isnan(values).any():
            raise ParameterError(f"{method.name} gave scores that are not numbers; normalise the scores first")
        values[rejected] = -np.inf
    notes += [*fitted.notes, *fitted.client_notes]
    if method.takes_scores_as_they_are and normalise == "none":
        notes += _uneven(data, names)
    name = f"{method.name}({' + '.join(names)})"
    return FusedScores(
        as_fused(dev, fused[0], name),
        as_fused(test, fused[1], name),
        method.name,
        normalise,
        tuple(names),
        parameters,
        held_out,
        tuple(dict.fromkeys(notes)),
        fitted.steps,
        clients,
        gaps,
    )


def _uneven(data: FusionData, names: Sequence[str]) -> list[Note]:
    """Note the two systems that differ most in range, if they differ much."""
    spread = spread_of(data.scores)
    if not np.all(spread > 0) or spread.max() <= _WIDER * spread.min():
        return []
    wide, narrow = int(np.argmax(spread)), int(np.argmin(spread))
    ranges = [f"{names[k]} {data.scores[:, k].min():.3g} to {data.scores[:, k].max():.3g}" for k in (wide, narrow)]
    return [
        Note(
            "uneven-scores",
            "scores of different ranges are fused without normalisation ({ranges:list}), so {wide} counts {ratio:.3g} "
            "times as much as {narrow}; {normalise!o} brings them to one scale",
            warning=True,
            ranges=ranges,
            wide=names[wide],
            narrow=names[narrow],
            ratio=float(spread[wide] / spread[narrow]),
            normalise="z",
        )
    ]


def score_matrix(trials: Trials, names: Sequence[str]) -> Floats:
    """Give the scores of these systems in double precision, one contiguous column per system."""
    scores = np.empty((len(trials), len(names)), order="F")
    for k, name in enumerate(names):
        scores[:, k] = trials.column(name)
    return scores


def client_numbers(trials: Trials, clients: Sequence[str]) -> NDArray[np.int64]:
    """Give the place of each trial's claim among these clients; one past the last for anybody else."""
    if trials.claim is None:
        raise TrialsError("a client-dependent fusion needs trials with claim ids", code="no-claims")
    ids = trials.claim.numbered()
    place = {name: number for number, name in enumerate(clients)}
    return np.array([place.get(name, len(clients)) for name in ids.names], dtype=np.int64)[ids.codes]


def as_fused(trials: Trials, scores: Floats, name: str) -> Trials:
    """Give the same trials with fused scores, as those of one system."""
    return replace(trials, scores=scores[:, None], systems=(name,))
