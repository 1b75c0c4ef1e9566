"""From the scores of several systems to those of one: fitted on dev, applied to dev and test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.checks import check_choice
from fairtrial.errors import ParameterError, TrialsError, listed
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.holding import HeldOut, client_folds, folds_within_clients, held_out_at_once
from fairtrial.fusion.methods import Fitted, FusionData, FusionMethod, as_fusion, spread_of
from fairtrial.fusion.missing import Missing, MissingScores
from fairtrial.fusion.normalise import PER_CLAIM, check_normalisation, fit_normalisation
from fairtrial.fusion.selection import select_parameters, select_without_folds
from fairtrial.fusion.steps import Floats, Step
from fairtrial.rules.criteria import Criterion, CriterionLike, as_criterion
from fairtrial.trials import Trials

Inner: TypeAlias = Literal["auto", "folds", "none"]
"""Where the fused dev scores, and so the threshold, come from: as the method says, held-out folds, or the fit."""
_WIDER = 3.0
"""How many times as wide as another the scores of a system may be before a note says so."""


@dataclass(frozen=True, slots=True, eq=False)
class FusedScores:
    """Fused scores of dev and test trials, each as trials of one system.

    Attributes
    ----------
    dev, test : Trials
        The same trials with one system, the fused one.
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
    notes : tuple of str
        What the reader should know.
    steps : tuple of Step
        What was fitted, normalisation and method, as names and numbers; empty where that cannot be said so.
    clients : tuple of str
        The clients of the rows of what was fitted for each client.
    missing : MissingScores or None
        What was done to trials that lack a score.
    uneven : str
        What to know of scores of different ranges that were put together as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial import Trials, fuse_scores
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
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    clients: tuple[str, ...] = ()
    missing: MissingScores | None = None
    uneven: str = ""

    @property
    def cross_validated(self) -> bool:
        """Whether the dev scores are those of held-out folds, as in Algorithm 1."""
        return self.held_out != "none"

    @property
    def name(self) -> str:
        """What the fused system is called."""
        return self.dev.systems[0]

    def client_numbers(self, trials: Trials) -> NDArray[np.int64]:
        """Give the rows of what was fitted for each client that trials are to take.

        Parameters
        ----------
        trials : Trials
            Trials with claim ids.

        Returns
        -------
        ndarray of int
            One row per trial.
        """
        return client_numbers(trials, self.clients)


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
        A method, normalisation or parameter that is not known, or scores that the method cannot be fitted on.
    TrialsError
        Fewer than two systems, missing scores, or client-dependent fusion without claim ids.

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
    method = as_fusion(fusion)
    rule = as_criterion(criterion)
    weight = rule.resolve_alpha(alpha)
    _check(names, dev, test, missing, inner)
    check_normalisation(normalise)
    by_client = normalise in PER_CLAIM or method.held_out == "within-clients"
    data, other, clients = _data(dev, test, names, with_claims=by_client)
    if by_client and data.claim is None:
        what = normalise if normalise in PER_CLAIM else method.name
        raise TrialsError(f"{what} fits something for each client and needs claim ids in dev and test")
    gaps = MissingScores.fitted(missing, data)
    notes = gaps.note(gaps.check(data.scores, other.scores))
    (filled, reject_dev), (filled_other, reject_test) = gaps.fill(data.scores), gaps.fill(other.scores)
    data, other = data.with_scores(filled), other.with_scores(filled_other)
    held_out = _held_out(inner, method, by_client=by_client)
    fit = _normalised(method, normalise)
    if progress is not None:
        fit = _told(fit, progress, 1 + len(method.grid) * (1 if held_out == "none" else folds))
    parameters, fused_dev, more = _dev_scores(fit, method, data, dev, held_out, rule, weight, folds, rng)
    fitted = fit(data, **parameters)
    if fused_dev is None:
        fused_dev = fitted.apply(data.scores, data.claim)
    notes += (*more, *fitted.notes, *fitted.client_notes)
    fused = [fused_dev, fitted.apply(other.scores, other.claim)]
    for values, without in zip(fused, (reject_dev, reject_test), strict=True):
        if np.isnan(values).any():
            raise ParameterError(f"{method.name} gave scores that are not numbers; normalise the scores first")
        values[without] = -np.inf
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
        _uneven(data, names) if method.takes_scores_as_they_are and normalise == "none" else "",
    )


def _held_out(inner: Inner, method: FusionMethod, *, by_client: bool) -> HeldOut:
    """What is held out while dev is scored."""
    if inner == "none":
        return "none"
    if by_client:
        return "within-clients"
    return "clients" if inner == "folds" else method.held_out


def _dev_scores(
    fit: Callable[..., Fitted],
    method: FusionMethod,
    data: FusionData,
    dev: Trials,
    held_out: HeldOut,
    rule: Criterion,
    alpha: float,
    folds: int,
    rng: np.random.Generator | int | None,
) -> tuple[Mapping[str, Any], Floats | None, tuple[str, ...]]:
    """Hyper-parameters, the fused dev scores unless they are those of the fit on all of dev, and notes on them."""
    if held_out == "none":
        usual = method.held_out == "none" and data.claim is None
        biased = () if usual else ("the threshold is that of dev scores it was fitted on, which look too good",)
        if len(method.grid) == 1:
            return method.grid[0], None, biased
        return select_without_folds(fit, data, method.grid, criterion=rule, alpha=alpha).best.parameters, None, biased
    deal = client_folds if held_out == "clients" else folds_within_clients
    masks = deal(dev, folds, rng)
    best = select_parameters(fit, data, method.grid, masks, criterion=rule, alpha=alpha).best
    who = "within clients" if held_out == "within-clients" else "of clients" if dev.claim else "of trials"
    notes: tuple[str, ...] = (f"the threshold is that of held-out dev scores, {len(masks)} folds {who}", *best.notes)
    if data.claim is not None:
        notes += held_out_at_once(data.claim, data.genuine, masks)
    return best.parameters, best.scores, notes


def _told(fit: Callable[..., Fitted], progress: Callable[[float], None], fits: int) -> Callable[..., Fitted]:
    """The same fit, which says how many of all fits are done."""
    done = 0

    def fit_and_tell(data: FusionData, **parameters: Any) -> Fitted:
        nonlocal done
        found = fit(data, **parameters)
        done += 1
        progress(min(done / fits, 1.0))
        return found

    return fit_and_tell


def _uneven(data: FusionData, names: Sequence[str]) -> str:
    """Which systems differ much in range, and by how much; nothing where none do."""
    spread = spread_of(data.scores)
    if not np.all(spread > 0) or spread.max() <= _WIDER * spread.min():
        return ""
    wide, narrow = int(np.argmax(spread)), int(np.argmin(spread))
    ranges = [f"{names[k]} {data.scores[:, k].min():.3g} to {data.scores[:, k].max():.3g}" for k in (wide, narrow)]
    return (
        f"scores of different ranges are put together as they are ({', '.join(ranges)}), so that {names[wide]} counts "
        f'{spread[wide] / spread[narrow]:.3g} times as much as {names[narrow]}; normalise="z" brings them to one scale'
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
            inner.notes,
            (*scale.client_notes, *inner.client_notes),
            (*scale.steps, *inner.steps) if inner.steps else (),
        )

    return fit


def _check(names: Sequence[str], dev: Trials, test: Trials, missing: str, inner: str) -> None:
    check_choice("missing", missing, get_args(Missing))
    check_choice("inner", inner, get_args(Inner))
    if len(names) < 2:
        given = f"only one was given: {listed(names)}" if any(names) else "none was given"
        raise TrialsError(f"a fusion needs at least two systems; {given}")
    if len(set(names)) != len(names):
        raise ParameterError(f"a system is named twice: {listed(names)}")
    for trials in (dev, test):
        for name in names:
            trials.check_system(name)


def _data(
    dev: Trials, test: Trials, names: Sequence[str], *, with_claims: bool
) -> tuple[FusionData, FusionData, tuple[str, ...]]:
    """The scores to be fused, and the names of the clients of dev in the order of their numbers."""
    claims: list[NDArray[np.int64] | None] = [None, None]
    clients: tuple[str, ...] = ()
    strangers = 0
    if with_claims and dev.claim is not None and test.claim is not None:
        clients = tuple(dict.fromkeys(dev.claim.decode().tolist()))
        claims = [client_numbers(trials, clients) for trials in (dev, test)]
        strangers = len({*test.claim.decode().tolist()} - {*clients})
    parts = [
        FusionData(score_matrix(trials, names), trials.genuine, claim, len(clients), strangers)
        for trials, claim in zip((dev, test), claims, strict=True)
    ]
    return parts[0], parts[1], clients


def score_matrix(trials: Trials, names: Sequence[str]) -> Floats:
    """The scores of these systems in double precision, each system's together in memory."""
    scores = np.empty((len(trials), len(names)), order="F")
    for k, name in enumerate(names):
        scores[:, k] = trials.column(name)
    return scores


def client_numbers(trials: Trials, clients: Sequence[str]) -> NDArray[np.int64]:
    """The place of each trial's claim among these clients; that behind the last for anybody else."""
    if trials.claim is None:
        raise TrialsError("what is fitted for each client needs trials with claim ids")
    ids = trials.claim.numbered()
    place = {name: number for number, name in enumerate(clients)}
    return np.array([place.get(name, len(clients)) for name in ids.names], dtype=np.int64)[ids.codes]


def as_fused(trials: Trials, scores: Floats, name: str) -> Trials:
    """The same trials with fused scores, as those of one system."""
    return replace(trials, scores=scores[:, None], systems=(name,))
