"""A fitted fusion as a file, to be applied to other trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from fairtrial.core.schema import NAME, NUMBER, Entries, Key, ValueKind, one_of, only
from fairtrial.core.trials import Trials
from fairtrial.formats.files import PathLike
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.formats.models import NUMBERS, TABLE, THRESHOLD, ModelFormat, exact
from fairtrial.fusion.combination import Missing, MissingScores, as_fused, client_numbers, score_matrix
from fairtrial.fusion.methods import OPERATIONS, Step, run_steps

_FORMAT = ModelFormat(
    "fairtrial fusion model",
    1,
    (
        Key("fusion", NAME),
        Key("normalise", NAME),
        Key("parameters", TABLE),
        Key("criterion", NAME),
        Key("alpha", NUMBER),
        Key("threshold", THRESHOLD),
        Key("systems", (Key("name", NAME), Key("threshold", THRESHOLD)), many=True),
        Key("missing", (Key("policy", one_of(get_args(Missing))), Key("neutral", NUMBERS))),
        Key("clients", ValueKind("a list of names", lambda value: tuple(map(NAME.read, only(list)(value))))),
        Key(
            "steps",
            (
                Key("operation", one_of(tuple(OPERATIONS))),
                Key(
                    "numbers",
                    ValueKind(
                        "a table of finite numbers",
                        lambda value: {name: NUMBERS.read(entry) for name, entry in only(dict)(value).items()},
                    ),
                ),
            ),
            many=True,
        ),
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class FusionModel:
    """A fitted fusion and its threshold, to be saved and applied to other trials.

    Parameters
    ----------
    fusion : str
        The name of the fusion method.
    normalise : str
        The name of the normalisation.
    systems : tuple of str
        The names of the systems that it fuses, in the order of the steps' columns.
    system_thresholds : tuple of float
        The threshold of each system from dev.
    criterion : str
        How thresholds were chosen on dev.
    alpha : float
        The weight or the target that the criterion took.
    threshold : float
        The threshold of the fusion from dev.
    steps : tuple of Step
        What is done to scores, normalisation first.
    missing : MissingScores
        What is done to trials that lack a score.
    parameters : dict
        The hyper-parameters that were chosen.
    clients : tuple of str, default ()
        Whose are the rows of what was fitted for each client; anybody else has the last row.

    Examples
    --------
    >>> import numpy as np
    >>> from fairtrial.fusion import fuse
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(300) < 100
    >>> dev = Trials.from_arrays(rng.normal(2 * genuine[:, None], 1, (300, 2)), genuine, systems=["face", "voice"])
    >>> model = fuse(dev, dev, fusion="weighted-mean", normalise="z").model
    >>> model.apply(dev)
    <Trials: 300 trials (100 genuine, 200 impostor), 1 system: weighted-mean(face + voice); ids: none>
    """

    fusion: str
    normalise: str
    systems: tuple[str, ...]
    system_thresholds: tuple[float, ...]
    criterion: str
    alpha: float
    threshold: float
    steps: tuple[Step, ...]
    missing: MissingScores
    parameters: Mapping[str, Any]
    clients: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the fused system is called."""
        return f"{self.fusion}({' + '.join(self.systems)})"

    def apply(self, trials: TrialsLike) -> Trials:
        """Fuse the scores of other trials.

        Parameters
        ----------
        trials : Trials or data frame
            Trials, or a data frame of them, of the systems of the model, and perhaps of others.

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
        scores = score_matrix(trials, self.systems)
        notes = self.missing.check(scores)
        filled, rejected = self.missing.fill(scores)
        claim = client_numbers(trials, self.clients) if any(step.operation.by_client for step in self.steps) else None
        fused = run_steps(self.steps, filled, claim)[:, 0]
        fused[rejected] = -np.inf
        return as_fused(trials, fused, self.name).with_notes(*notes)

    def save(self, path: PathLike) -> None:
        """Write the model to a file.

        Parameters
        ----------
        path : str or path-like
            The file, JSON.

        Raises
        ------
        OutputError
            If the file cannot be written; nothing is left behind.
        """
        systems = zip(self.systems, self.system_thresholds, strict=True)
        content = {
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
        _FORMAT.save(content, path)

    @classmethod
    def load(cls, path: PathLike) -> FusionModel:
        """Read a model from a file that `save` wrote.

        Parameters
        ----------
        path : str or path-like
            The file, JSON.

        Returns
        -------
        FusionModel
            The model, which gives the same fused scores as the one that was saved.

        Raises
        ------
        InputError
            If the file cannot be read, is something else, of another version, or damaged.
        """
        return _FORMAT.load(path, _from_entries)


def _from_entries(entries: Entries) -> FusionModel:
    """Make the model that was saved, and see whether the numbers of all its steps go together."""
    model = FusionModel(
        fusion=entries["fusion"],
        normalise=entries["normalise"],
        systems=tuple(system["name"] for system in entries["systems"]),
        system_thresholds=tuple(system["threshold"] for system in entries["systems"]),
        criterion=entries["criterion"],
        alpha=entries["alpha"],
        threshold=entries["threshold"],
        steps=tuple(Step(step["operation"], step["numbers"]) for step in entries["steps"]),
        missing=MissingScores(entries["missing"]["policy"], entries["missing"]["neutral"]),
        parameters=entries["parameters"],
        clients=entries["clients"],
    )
    if len(model.systems) < 2:
        raise ValueError("a fusion needs at least two systems")
    if model.missing.policy != "error" and model.missing.neutral.shape != (len(model.systems),):
        raise ValueError("there must be one neutral score per system")
    claim = np.arange(len(model.clients) + 1)  # a trial of every client and of anybody else
    with np.errstate(all="ignore"):
        fused = run_steps(model.steps, np.full((len(claim), len(model.systems)), 0.5), claim)
    if fused.shape != (len(claim), 1) or np.isnan(fused).any():
        raise ValueError("its steps do not give one score per trial")
    return model
