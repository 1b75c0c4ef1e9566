"""A fitted fusion: steps of names and numbers, what to do about missing scores, and the file that holds both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.notes import Note
from fairtrial.core.schema import NAME, NUMBER, Entries, Key, ValueKind, one_of, only
from fairtrial.core.trials import Trials, TrialsLike, trials_of
from fairtrial.formats.models import NUMBERS, TABLE, THRESHOLD, ModelFormat, SavedModel, exact
from fairtrial.inference.variance import Floats
from fairtrial.rules.eer import EqualErrorRate, equal_error_rate

Claims: TypeAlias = NDArray[np.int64] | None
Missing: TypeAlias = Literal["error", "reject", "neutral"]

_AT_ONCE = 4096
"""Number of trials whose distances from all support vectors are in memory at once."""
_LARGEST = 1e100
"""Larger scores overflow in sums of squares and products."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: from scores, one row per trial, claims, and numbers by name, to other scores, one row per trial."""

    apply: Callable[..., Floats]
    by_client: bool = False
    """Whether its numbers have one row per client, and a last one for anybody else."""
    linear: bool = False
    """Whether it is a weighted sum, by its number ``weights``."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One operation on scores, by its name in `OPERATIONS`, and the numbers that were fitted for it."""

    name: str
    numbers: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __call__(self, scores: Floats, claim: Claims) -> Floats:
        """Apply the step."""
        if self.operation.by_client and claim is None:
            raise TrialsError("this method is fitted for each client and needs claim ids", code="no-claims")
        try:
            with np.errstate(over="raise"):
                return np.asarray(self.operation.apply(scores, claim, **self.numbers))
        except FloatingPointError as error:
            template = "the step {step} gives scores beyond the range of 64-bit floats; rescale the scores or the model"
            raise ParameterError(template, code="overflow", step=self.name) from error

    @property
    def operation(self) -> Operation:
        """The operation itself."""
        return OPERATIONS[self.name]


def run_steps(steps: Sequence[Step], scores: Floats, claim: Claims) -> Floats:
    """Apply all steps, one after the other."""
    for step in steps:
        scores = step(scores, claim)
    return scores


def _double_sigmoid(scores: Floats, claim: Claims, *, middle: Floats, left: Floats, right: Floats) -> Floats:
    distance = scores - middle
    exponent = -2 * distance / np.where(distance < 0, left, right)
    return np.asarray(1 / (1 + np.exp(np.clip(exponent, -700, 700))))


def _mean(scores: Floats, claim: Claims) -> Floats:
    # column by column: much faster than a mean over short rows
    total = scores[:, 0].copy()
    for column in scores.T[1:]:
        total += column
    return np.asarray(total / scores.shape[1])[:, None]


def _kernel(
    scores: Floats, claim: Claims, *, vectors: Floats, coefficients: Floats, gamma: Floats, intercept: Floats
) -> Floats:
    fused = np.empty((len(scores), 1))
    squares = np.sum(vectors**2, axis=1)
    for start in range(0, len(scores), _AT_ONCE):
        part = scores[start : start + _AT_ONCE]
        distances = np.sum(part**2, axis=1)[:, None] + squares - 2 * part @ vectors.T
        fused[start : start + _AT_ONCE, 0] = np.exp(-gamma * np.maximum(distances, 0.0)) @ coefficients + intercept
    return fused


def _quadratic(scores: Floats, claim: Claims, *, means: Floats, whitening: Floats, constants: Floats) -> Floats:
    """Compute the log likelihood ratio of two Gaussians; classes in the order genuine, impostor."""
    genuine, impostor = (
        constant - 0.5 * np.sum(((scores - mean) @ whiten) ** 2, axis=1)
        for mean, whiten, constant in zip(means, whitening, constants, strict=True)
    )
    return np.asarray(genuine - impostor)[:, None]


def _quadratic_by_client(
    scores: Floats, claim: NDArray[np.int64], *, means: Floats, whitening: Floats, constants: Floats
) -> Floats:
    """Compute the same with two Gaussians per client."""
    fused = np.zeros(len(scores))
    for which, sign in ((0, 1.0), (1, -1.0)):
        white = np.einsum("nk,nkj->nj", scores - means[claim, which], whitening[claim, which])
        fused += sign * (constants[claim, which] - 0.5 * np.sum(white**2, axis=1))
    return fused[:, None]


def _mixtures(scores: Floats, claim: Claims, **numbers: Floats) -> Floats:
    """Compute the log likelihood ratio of two mixtures of Gaussians, whose whitening matrices are triangular."""
    from scipy.special import logsumexp

    densities = []
    for word in ("genuine", "impostor"):
        parts = []
        weights, means, whitening = (numbers[f"{word}_{name}"] for name in ("weights", "means", "whitening"))
        for weight, mean, whiten in zip(weights, means, whitening, strict=True):
            squares = np.sum(((scores - mean) @ whiten) ** 2, axis=1)
            constant = np.log(weight) + np.sum(np.log(np.diag(whiten))) - 0.5 * scores.shape[1] * np.log(2 * np.pi)
            parts.append(constant - 0.5 * squares)
        densities.append(logsumexp(np.stack(parts), axis=0))
    return np.asarray(densities[0] - densities[1])[:, None]


OPERATIONS: dict[str, Operation] = {
    "scale": Operation(lambda scores, claim, *, centre, scale: (scores - centre) / scale),
    "tanh": Operation(lambda scores, claim, *, centre, scale: (np.tanh(0.01 * ((scores - centre) / scale)) + 1) / 2),
    "double-sigmoid": Operation(_double_sigmoid),
    "scale-by-client": Operation(
        lambda scores, claim, *, centre, scale: (scores - centre[claim]) / scale[claim], by_client=True
    ),
    "mean": Operation(_mean),
    "min": Operation(lambda scores, claim: scores.min(axis=1, keepdims=True)),
    "max": Operation(lambda scores, claim: scores.max(axis=1, keepdims=True)),
    "median": Operation(lambda scores, claim: np.median(scores, axis=1, keepdims=True)),
    # a test score below all dev scores may be negative after min-max
    "product": Operation(lambda scores, claim: np.prod(np.maximum(scores, 0.0), axis=1, keepdims=True)),
    "linear": Operation(
        lambda scores, claim, *, weights, intercept: (scores @ weights + intercept)[:, None], linear=True
    ),
    "linear-by-client": Operation(
        lambda scores, claim, *, weights: (scores * weights[claim]).sum(axis=1)[:, None], by_client=True, linear=True
    ),
    "layer": Operation(lambda scores, claim, *, weights, intercepts: np.maximum(scores @ weights + intercepts, 0.0)),
    "kernel": Operation(_kernel),
    "quadratic": Operation(_quadratic),
    "quadratic-by-client": Operation(_quadratic_by_client, by_client=True),
    "mixtures": Operation(_mixtures),
}
"""Operations by name; the names are those of saved models and must not change."""


@dataclass(frozen=True, slots=True, eq=False)
class FusionData:
    """Scores of the systems to fuse, one row per trial and one column per system.

    Attributes
    ----------
    scores : ndarray of float
        The scores, shape (trials, systems).
    genuine : ndarray of bool
        Whether each trial is genuine.
    claim : ndarray of int or None
        The claimed identity of each trial as a number, the same in dev and test.
    claims : int
        The number of identities in dev; this is also the number of any other identity.
    strangers : int
        The number of identities in test that are not in dev.

    Examples
    --------
    >>> FusionData(np.array([[0.9, 1.5], [0.2, 0.4]]), np.array([True, False])).rows(np.array([True, False])).scores
    array([[0.9, 1.5]])
    """

    scores: Floats
    genuine: NDArray[np.bool_]
    claim: Claims = None
    claims: int = 0
    strangers: int = 0

    @property
    def by_class(self) -> tuple[Floats, Floats]:
        """The scores of genuine and of impostor trials."""
        return self.scores[self.genuine], self.scores[~self.genuine]

    @property
    def equal_error_rates(self) -> list[EqualErrorRate]:
        """The equal error rate of each system."""
        return [equal_error_rate(classes) for classes in zip(*(scores.T for scores in self.by_class), strict=True)]

    def rows(self, which: NDArray[np.bool_]) -> FusionData:
        """Select trials."""
        claim = None if self.claim is None else self.claim[which]
        return replace(self, scores=self.scores[which], genuine=self.genuine[which], claim=claim)

    def with_scores(self, scores: Floats) -> FusionData:
        """Replace the scores."""
        return replace(self, scores=scores)

    def check_classes(self, what: str) -> None:
        """Raise an error if a class has no trials to fit on."""
        if not self.genuine.any() or self.genuine.all():
            word = "genuine" if not self.genuine.any() else "impostor"
            raise TrialsError(f"{what} needs trials of both classes; there is no {word} trial to fit on")


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A fit on dev trials, to apply to any trials.

    Parameters
    ----------
    apply : callable
        From scores, one row per trial, and claims to fused scores; higher means genuine. A normalisation gives one
        column per system.
    notes : tuple of Note or str, default ()
        What the reader should know.
    client_notes : tuple of Note or str, default ()
        What the reader should know of clients with too few trials; those of the fits in folds are not reported.
    steps : tuple of Step, default ()
        `apply` as names and numbers; without them the fusion cannot be saved.

    Examples
    --------
    >>> Fitted(lambda scores, claim: scores.max(axis=1)).steps
    ()
    """

    apply: Callable[[Floats, Claims], Floats]
    notes: tuple[Note | str, ...] = ()
    client_notes: tuple[Note | str, ...] = ()
    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, steps: Sequence[Step], notes: Sequence[Note] = (), client_notes: Sequence[Note | str] = ()) -> Fitted:
        """Fuse by these steps, one after the other."""
        return cls(lambda scores, claim: run_steps(steps, scores, claim)[:, 0], (*notes,), (*client_notes,), (*steps,))

    @classmethod
    def normalising(cls, *steps: Step, client_notes: tuple[Note, ...] = ()) -> Fitted:
        """Normalise by these steps."""
        return cls(lambda scores, claim: run_steps(steps, scores, claim), (), client_notes, steps)


@dataclass(frozen=True, slots=True, eq=False)
class MissingScores:
    """What to do about trials that lack a score: the policy, and a neutral score for each system.

    The neutral score is the EER threshold of a system on dev; there is none if the policy is ``error``.
    """

    policy: Missing
    neutral: Floats

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

    def fill(self, *parts: Floats) -> tuple[list[Floats], list[NDArray[np.bool_]], tuple[Note, ...]]:
        """Fill in neutral scores, mark the trials to reject, and note how many trials lack a score.

        Raises
        ------
        TrialsError
            If a score is inf, or one is missing and the policy is ``error``.
        """
        if any(scores.max(initial=0.0) == np.inf for scores in parts):
            raise TrialsError(
                "a score of inf cannot be fused; give it a finite value, or make it NaN to treat it as missing"
            )
        if not any(scores.min(initial=0.0) == -np.inf for scores in parts):
            return list(parts), [np.zeros(len(scores), dtype=np.bool_) for scores in parts], ()
        lacking = [np.isneginf(scores).any(axis=1) for scores in parts]
        count, reject = sum(int(np.count_nonzero(rows)) for rows in lacking), self.policy == "reject"
        template = "{count:plural trial} without the score of a system"
        if self.policy == "error":
            template += (
                "; decide what happens to such trials by {missing!p}: reject rejects them, neutral takes a neutral "
                "score"
            )
            raise TrialsError(template, code="missing-scores", count=count, missing=self.policy)
        template += ": rejected" if reject else ": scored at the system's EER threshold on dev"
        filled = [np.where(np.isneginf(scores), self.neutral, scores) for scores in parts]
        rejected = [np.asarray(rows & reject) for rows in lacking]
        return filled, rejected, (Note("missing-scores", template, count=count, policy=self.policy),)


def score_matrix(trials: Trials, names: Sequence[str]) -> Floats:
    """Copy the scores of these systems in double precision, one contiguous column per system."""
    scores = np.empty((len(trials), len(names)), order="F")
    for k, name in enumerate(names):
        scores[:, k] = trials.column(name)
    finite = scores
    if not np.isfinite([scores.min(initial=0.0), scores.max(initial=0.0)]).all():
        finite = scores[np.isfinite(scores)]
    largest = max(-finite.min(initial=0.0), finite.max(initial=0.0))
    if largest > _LARGEST:
        raise TrialsError(
            "scores up to {largest:g} are too large to be fused; scale them", code="scores-too-large", largest=largest
        )
    return scores


def system_names(trials: Trials, systems: str | Sequence[str] | None) -> tuple[str, ...]:
    """Resolve the names of the systems to fuse; None for all."""
    return trials.systems if systems is None else (systems,) if isinstance(systems, str) else tuple(systems)


def client_numbers(trials: Trials, clients: Sequence[str]) -> NDArray[np.int64]:
    """Give the place of each trial's claim among these clients; one past the last for anybody else."""
    if trials.claim is None:
        raise TrialsError("a client-dependent fusion needs trials with claim ids", code="no-claims")
    ids = trials.claim.numbered()
    place = {name: number for number, name in enumerate(clients)}
    return np.array([place.get(name, len(clients)) for name in ids.names], dtype=np.int64)[ids.codes]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FittedFusion:
    """A fusion as it was fitted: the record that fused scores and saved models share."""

    fusion: str
    normalise: str
    systems: tuple[str, ...]
    missing: MissingScores
    parameters: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    clients: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the fused system."""
        return f"{self.fusion}({' + '.join(self.systems)})"

    @property
    def record(self) -> dict[str, Any]:
        """What was fitted, by name."""
        return {each.name: getattr(self, each.name) for each in fields(FittedFusion)}


_NAMES = ValueKind("a list of names", lambda value: tuple(map(NAME.read, only(list)(value))))
_ARRAYS = ValueKind(
    "a table of finite numbers",
    lambda value: {name: NUMBERS.read(entry) for name, entry in only(dict)(value).items()},
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FusionModel(FittedFusion, SavedModel):
    """A fitted fusion and its threshold, to save and to apply to other trials.

    Parameters
    ----------
    fusion : str
        The name of the fusion method.
    normalise : str
        The name of the normalisation.
    systems : tuple of str
        The systems that it fuses, in the order of the steps' columns.
    missing : MissingScores
        What to do about trials that lack a score.
    parameters : dict, default {}
        The hyper-parameters that were chosen.
    steps : tuple of Step, default ()
        The operations on scores, normalisation first.
    clients : tuple of str, default ()
        The clients of the rows of client-dependent numbers; anybody else has the last row.
    system_thresholds : tuple of float
        The threshold of each system from dev.
    criterion : str
        How thresholds were chosen on dev.
    alpha : float
        The weight or the target that the criterion took.
    threshold : float
        The threshold of the fusion from dev.

    Examples
    --------
    >>> from fairtrial import fuse, load_dataset
    >>> dev, test = load_dataset("lausanne", set="LP2")
    >>> model = fuse(dev, test, systems=["(FH,MLP)", "(LFCC,GMM)"], fusion="weighted-mean", normalise="z").model
    >>> model.apply(test).systems
    ('weighted-mean((FH,MLP) + (LFCC,GMM))',)
    """

    system_thresholds: tuple[float, ...]
    criterion: str
    alpha: float
    threshold: float

    FORMAT: ClassVar = ModelFormat(
        "fairtrial fusion model",
        1,
        (
            *(Key("fusion", NAME), Key("normalise", NAME), Key("parameters", TABLE)),
            *(Key("criterion", NAME), Key("alpha", NUMBER), Key("threshold", THRESHOLD)),
            Key("systems", (Key("name", NAME), Key("threshold", THRESHOLD)), many=True),
            Key("missing", (Key("policy", one_of(get_args(Missing))), Key("neutral", NUMBERS))),
            Key("clients", _NAMES),
            Key("steps", (Key("operation", one_of(tuple(OPERATIONS))), Key("numbers", _ARRAYS)), many=True),
        ),
    )

    def apply(self, trials: TrialsLike) -> Trials:
        """Fuse the scores of other trials.

        Parameters
        ----------
        trials : Trials or data frame
            Trials of the systems of the model, and perhaps of others.

        Returns
        -------
        Trials
            The same trials with one system, the fused one.

        Raises
        ------
        TrialsError
            If the trials lack a system, a score that the model has no rule for, or the claim ids that a
            client-dependent fusion needs.
        """
        trials = trials_of(trials, "trials")
        (filled,), (rejected,), notes = self.missing.fill(score_matrix(trials, self.systems))
        claim = client_numbers(trials, self.clients) if any(step.operation.by_client for step in self.steps) else None
        fused = run_steps(self.steps, filled, claim)
        fused[rejected] = -np.inf
        return replace(trials, scores=fused, systems=(self.name,)).with_notes(*notes)

    def to_dict(self) -> dict[str, Any]:
        """Give names and numbers, as in the saved file."""
        systems = zip(self.systems, self.system_thresholds, strict=True)
        return {
            "fusion": self.fusion,
            "normalise": self.normalise,
            "parameters": dict(self.parameters),
            "criterion": self.criterion,
            "alpha": self.alpha,
            "threshold": exact(self.threshold),
            "systems": [{"name": name, "threshold": exact(threshold)} for name, threshold in systems],
            "missing": {"policy": self.missing.policy, "neutral": self.missing.neutral.tolist()},
            "clients": list(self.clients),
            "steps": [
                {"operation": step.name, "numbers": {name: each.tolist() for name, each in step.numbers.items()}}
                for step in self.steps
            ],
        }

    @classmethod
    def from_entries(cls, entries: Entries) -> FusionModel:
        """Make the model of the checked entries of a file; the numbers of all its steps must fit together."""
        systems, steps = entries.pop("systems"), entries.pop("steps")
        names, thresholds = (tuple(system[key] for system in systems) for key in ("name", "threshold"))
        missing = MissingScores(**entries.pop("missing"))
        steps = tuple(Step(step["operation"], step["numbers"]) for step in steps)
        model = cls(systems=names, system_thresholds=thresholds, steps=steps, missing=missing, **entries)
        if len(names) < 2:
            raise ValueError("a fusion needs at least two systems")
        if missing.policy != "error" and missing.neutral.shape != (len(names),):
            raise ValueError("there must be one neutral score per system")
        claim = np.arange(len(model.clients) + 1)  # a trial of every client and of anybody else
        with np.errstate(all="ignore"):
            fused = run_steps(model.steps, np.full((len(claim), len(names)), 0.5), claim)
        if fused.shape != (len(claim), 1) or np.isnan(fused).any():
            raise ValueError("its steps do not give one score per trial")
        return model
