"""Fuse scores: held-out folds of dev, the choice of hyper-parameters, fused dev and test trials."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError, as_generator, check_choice
from fairtrial.core.notes import Note
from fairtrial.core.trials import Trials, TrialsLike, recode, sorted_rows, trials_of
from fairtrial.core.words import listed
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.fusion.methods import FusionMethod, HeldOut, as_fusion
from fairtrial.fusion.model import (
    Claims,
    Fitted,
    FittedFusion,
    FusionData,
    Missing,
    MissingScores,
    client_numbers,
    score_matrix,
    system_names,
)
from fairtrial.fusion.normalise import PER_CLAIM, fit_normalisation, spread_of
from fairtrial.inference.folds import make_blocks
from fairtrial.inference.people import Cluster
from fairtrial.inference.variance import Floats
from fairtrial.rules.criteria import CriterionLike, as_criterion, choose_thresholds

Inner: TypeAlias = Literal["auto", "folds", "none"]
Folds: TypeAlias = list[NDArray[np.bool_]]
"""Which trials are held out in each fold; together all of them, each once."""
_WIDER = 3.0
"""Ratio of the standard deviations of two systems above which a note warns of uneven scores."""


def client_folds(trials: Trials, folds: int, rng: np.random.Generator | int | None = 0) -> Folds:
    """Deal clients into folds, all trials of a client together; without claim ids, deal trials."""
    cluster: Cluster = "claim" if "claim" in trials.ids else "none"
    return [block.held_out for block in make_blocks(trials, folds, cluster=cluster, rng=rng)]


def folds_within_clients(trials: Trials, folds: int, rng: np.random.Generator | int | None = 0) -> Folds:
    """Deal the trials of each client into folds, so that each is scored by a fit on the client's other trials.

    Genuine trials are dealt one by one. Impostor trials are dealt by subject, if subjects are known and not all the
    same: nobody's attempts against a client are on both sides of a fold. The impostors of a client are dealt in an
    order that is the same for all clients, so that with the same impostors for everybody, as many as folds or more,
    an impostor is in the same fold for all clients.
    """
    if folds < 2:
        raise ParameterError(f"there must be at least 2 folds, not {folds}")
    if trials.claim is None:
        raise TrialsError("folds within clients need claim ids", code="no-claims")
    generator = as_generator(rng)
    (claim,) = recode([trials.claim])
    each = np.argsort(sorted_rows(trials))  # the place of each trial
    subject = each if trials.subject is None else recode([trials.subject])[0]
    if len(np.unique(subject[~trials.genuine])) == 1:  # one id for all impostors identifies nobody
        subject = each
    fold = np.empty(len(trials), dtype=np.int64)
    for rows, units in ((trials.genuine, each[trials.genuine]), (~trials.genuine, subject[~trials.genuine])):
        # the units of each claim are dealt in turn, all trials of a unit together
        size = 1 + int(units.max(initial=0))
        pairs, place = np.unique(claim[rows] * size + generator.permutation(size)[units], return_inverse=True)
        _, first, count = np.unique(pairs // size, return_index=True, return_counts=True)
        # a claim with few units starts after the last one, or the last folds would stay empty
        few = np.where(count < folds, count, 0)
        start = np.where(count < folds, np.cumsum(few) - few, 0)
        fold[rows] = ((np.arange(len(pairs)) + np.repeat(start - first, count)) % folds)[place]
    return [held_out for k in range(folds) if (held_out := fold == k).any()]


def _held_out_at_once(data: FusionData, folds: Folds) -> list[Note]:
    """Note the clients whose trials of one class are all in one fold, which leaves none to fit on."""
    assert data.claim is not None
    notes = []
    number = np.argmax(np.stack(folds), axis=0)
    for word, rows in (("genuine", data.genuine), ("impostor", ~data.genuine)):
        meetings = np.unique(data.claim[rows] * len(folds) + number[rows]) // len(folds)
        count = int(np.count_nonzero(np.bincount(meetings) == 1))
        if count:
            template = (
                "{count:plural client}: all {kind} dev trials are held out at once, so the statistics of all clients "
                "are used"
            )
            notes.append(Note("clients-held-out", template, count=count, kind=word))
    return notes


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Hyper-parameters, and the errors that all held-out trials together make at one threshold.

    The scores are those of the held-out trials of all folds, in the order of the trials.
    """

    parameters: Mapping[str, Any]
    counts: ErrorCounts
    scores: Floats
    notes: tuple[Note | str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The candidate that cross-validation chose, and all candidates."""

    best: Candidate
    candidates: tuple[Candidate, ...]


def select_parameters(
    fit: Callable[..., Fitted],
    data: FusionData,
    grid: Sequence[Mapping[str, Any]],
    folds: Sequence[NDArray[np.bool_]] | None,
    *,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
) -> Selection:
    """Choose hyper-parameters by cross-validation with one threshold for all held-out folds.

    For each candidate the scores of all held-out folds are pooled into one set; one threshold is chosen on it, and
    the HTER at that threshold decides. The threshold of the best candidate is also the one for the test set.

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
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
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
    >>> from fairtrial.fusion import FUSIONS
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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FusedScores(FittedFusion):
    """Fused scores of dev and test trials, each as trials of one system.

    Attributes
    ----------
    fusion : str
        The name of the fusion method.
    normalise : str
        The name of the normalisation.
    systems : tuple of str
        The names of the systems that were fused.
    missing : MissingScores
        What was done about trials that lack a score.
    parameters : dict
        The hyper-parameters that were chosen.
    steps : tuple of Step
        The fit, normalisation and method, as names and numbers; empty if that is not possible.
    clients : tuple of str
        The clients of the rows of client-dependent numbers.
    dev : Trials
        The dev trials with one system, the fused one; none of them if a saved fusion was applied.
    test : Trials
        The test trials with the same system.
    held_out : {"none", "clients", "within-clients"}
        What the fits of the dev scores held out.
    notes : tuple of Note
        What the reader should know.

    Examples
    --------
    >>> from fairtrial import load_dataset
    >>> from fairtrial.fusion import fuse_scores
    >>> dev, test = load_dataset("lausanne", set="LP2")
    >>> fused = fuse_scores(dev, test, systems=["(FH,MLP)", "(LFCC,GMM)"], fusion="weighted-mean", normalise="z")
    >>> fused.name, len(fused.test)
    ('weighted-mean((FH,MLP) + (LFCC,GMM))', 112400)
    """

    dev: Trials
    test: Trials
    held_out: HeldOut = "none"
    notes: tuple[Note | str, ...] = ()

    @property
    def cross_validated(self) -> bool:
        """Whether the dev scores are those of held-out folds, as in Algorithm 1."""
        return self.held_out != "none"


def fuse_scores(
    dev: TrialsLike,
    test: TrialsLike,
    *,
    systems: Sequence[str] | None = None,
    fusion: str | FusionMethod = "mean",
    normalise: str = "none",
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    missing: Missing = "error",
    inner: Inner = "auto",
    inner_folds: int = 5,
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
        The normalisation of the scores: a name in `NORMALISATIONS`, fitted on dev.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev that decides between hyper-parameters: a name in `CRITERIA`, a criterion,
        detection costs, or a function ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    missing : {"error", "reject", "neutral"}, default "error"
        What to do with a trial that lacks the score of a system: ``error`` raises an error; ``reject`` rejects it, by a
        fused score of -inf; ``neutral`` takes the system's EER threshold on dev instead of the score.
    inner : {"auto", "folds", "none"}, default "auto"
        Where the fused dev scores come from, on which thresholds and hyper-parameters are chosen. ``folds``: from
        trials that are held out of the fit, fold by fold, as in Algorithm 1. ``none``: from the trials that the fusion
        was fitted on, which is faster and optimistic. ``auto``: the default of the method.
    inner_folds : int, default 5
        The number of folds of the dev trials. They do not split a client, unless the method or the
        normalisation fits something for each client: then every client's trials are dealt into the folds.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result.
    progress : callable, optional
        Called as work proceeds, with the proportion of it done since the last call; they sum to 1.

    Returns
    -------
    FusedScores
        Fused dev and test scores, each as trials of one system, with a note on the origin of the dev scores.

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
    >>> from fairtrial import load_dataset
    >>> dev, test = load_dataset("lausanne", set="LP2")
    >>> fuse_scores(dev, test, systems=["(FH,MLP)", "(LFCC,GMM)"], fusion="product", normalise="min-max").test.systems
    ('product((FH,MLP) + (LFCC,GMM))',)
    """
    dev, test = trials_of(dev, "dev"), trials_of(test, "test")
    names = system_names(dev, systems)
    method, rule = as_fusion(fusion), as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    check_choice("missing", missing, get_args(Missing))
    check_choice("inner", inner, get_args(Inner))
    if len(names) < 2:
        given = f"only one was given: {listed(names)}" if any(names) else "none was given"
        raise TrialsError(f"a fusion needs at least two systems; {given}", code="one-system")
    if len(set(names)) != len(names):
        raise ParameterError(f"a system is named twice: {listed(names)}", code="named-twice")
    for trials in (dev, test):
        for name in names:
            trials.check_system(name)
    by_client = normalise in PER_CLAIM or method.held_out == "within-clients"
    held_out: HeldOut = "within-clients" if by_client else "clients" if inner == "folds" else method.held_out
    if inner == "none":
        held_out = "none"
        if inner_folds != 5:
            template = "{inner_folds!p} applies to held-out dev scores, not with {inner!o}"
            raise ParameterError(template, code="does-not-apply", inner_folds=inner_folds, inner=inner)
    unsorted, order = dev, None
    if held_out != "none" or method.held_out != "none":  # neither folds nor subsets depend on the order of rows
        dev = dev.select(names)
        order = sorted_rows(dev)
        dev = dev.rows(order)

    clients: tuple[str, ...] = ()
    claims: tuple[Claims, Claims] = (None, None)
    strangers = 0
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
    (filled, filled_other), rejected, lacking = gaps.fill(data.scores, other.scores)
    data, other = data.with_scores(filled), other.with_scores(filled_other)
    notes: list[Note | str] = [*lacking]

    fits = 1 + len(method.grid) * (inner_folds if held_out != "none" else len(method.grid) > 1)

    def fit(data: FusionData, **parameters: Any) -> Fitted:
        """Fit the normalisation and the method on the same trials."""
        scale = fit_normalisation(normalise, data)
        fused = method.fit(data.with_scores(scale.apply(data.scores, data.claim)), **parameters)
        if progress is not None:
            progress(1 / fits)
        return Fitted(
            lambda scores, claim: fused.apply(scale.apply(scores, claim), claim),
            fused.notes,
            (*scale.client_notes, *fused.client_notes),
            (*scale.steps, *fused.steps) if fused.steps else (),
        )

    parameters, masks = method.grid[0], None
    if held_out != "none":
        masks = (client_folds if held_out == "clients" else folds_within_clients)(dev, inner_folds, rng)
    if masks is not None or len(method.grid) > 1:
        best = select_parameters(fit, data, method.grid, masks, criterion=rule, alpha=weight).best
        parameters = best.parameters
    if masks is not None:
        units = "within clients" if held_out == "within-clients" else "of clients" if dev.claim else "of trials"
        template = "the threshold comes from held-out dev scores, {folds} folds {units}"
        notes += [Note("held-out", template, folds=len(masks), units=units), *best.notes]
        if data.claim is not None:
            notes += _held_out_at_once(data, masks)
    elif method.held_out != "none" or by_client:
        template = "the threshold comes from dev scores that the fusion was fitted on, which are optimistic"
        notes.append(Note("fitted-dev", template, warning=True))

    fitted = fit(data, **parameters)
    fused_dev = fitted.apply(data.scores, data.claim) if masks is None else best.scores
    fused = [fused_dev, fitted.apply(other.scores, other.claim)]
    for values, rows in zip(fused, rejected, strict=True):
        if np.isnan(values).any():
            raise ParameterError(f"{method.name} gave scores that are not numbers; normalise the scores first")
        values[rows] = -np.inf
    notes += [*fitted.notes, *fitted.client_notes]
    if method.scale_sensitive and normalise == "none":
        spread = spread_of(data.scores)
        wide, narrow = int(np.argmax(spread)), int(np.argmin(spread))
        if 0 < _WIDER * spread[narrow] < spread[wide]:
            low, high = data.scores.min(axis=0), data.scores.max(axis=0)
            ranges = [f"{names[k]} {low[k]:.3g} to {high[k]:.3g}" for k in (wide, narrow)]
            template = (
                "scores of different ranges are fused without normalisation ({ranges:list}), so {wide} counts "
                "{ratio:.3g} times as much as {narrow}; {normalise!o} brings them to one scale"
            )
            figures: dict[str, Any] = {"ranges": ranges, "ratio": float(spread[wide] / spread[narrow])}
            figures |= {"wide": names[wide], "narrow": names[narrow]}
            notes.append(Note("uneven-scores", template, warning=True, **figures, normalise="z"))
    if order is not None:
        fused[0] = fused[0][np.argsort(order)]
    made = FittedFusion(
        fusion=method.name,
        normalise=normalise,
        systems=names,
        missing=gaps,
        parameters=parameters,
        steps=fitted.steps,
        clients=clients,
    )
    dev, test = (
        replace(trials, scores=scores[:, None], systems=(made.name,))
        for trials, scores in zip((unsorted, test), fused, strict=True)
    )
    return FusedScores(**made.record, dev=dev, test=test, held_out=held_out, notes=tuple(dict.fromkeys(notes)))
