"""A fitted fusion as a file: names and numbers in JSON, which can be read anywhere and runs no code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, get_args

import numpy as np

from fairtrial.errors import InputError, ParameterError, shown
from fairtrial.formats.files import PathLike, read_whole, write_whole
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.combination import FusedScores, as_fused, client_numbers, score_matrix
from fairtrial.fusion.missing import Missing, MissingScores
from fairtrial.fusion.steps import OPERATIONS, Step, run_steps
from fairtrial.trials import Trials

_KIND = "fairtrial fusion model"
_VERSION = 1


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

    @classmethod
    def of(
        cls,
        scores: FusedScores,
        *,
        threshold: float,
        system_thresholds: Sequence[float],
        criterion: str,
        alpha: float,
    ) -> FusionModel:
        """Give the model behind fused scores.

        Parameters
        ----------
        scores : FusedScores
            What `fuse_scores` gives.
        threshold : float
            The threshold of the fusion from dev.
        system_thresholds : sequence of float
            The threshold of each system from dev.
        criterion : str
            How thresholds were chosen on dev: a name.
        alpha : float
            The weight or the target that the criterion took.

        Returns
        -------
        FusionModel
            The model.

        Raises
        ------
        ParameterError
            What was fitted cannot be put in names and numbers.
        """
        if not scores.steps:
            raise ParameterError(
                f"{scores.fusion} cannot be saved: it is a method of your own, or a classifier that is not known as "
                "numbers; logistic regression, linear and quadratic discriminant analysis, support vector machines "
                "and multi-layer perceptrons of scikit-learn are"
            )
        assert scores.missing is not None
        return cls(
            scores.fusion,
            scores.normalise,
            scores.systems,
            tuple(map(float, system_thresholds)),
            criterion,
            alpha,
            threshold,
            scores.steps,
            scores.missing,
            scores.parameters,
            scores.clients,
        )

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
            A system that the trials do not have, a missing score that the model has no rule for, or no claim ids
            where something was fitted for each client.
        """
        trials = trials_of(trials, "trials")
        scores = score_matrix(trials, self.systems)
        notes = self.missing.note(self.missing.check(scores))
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
            The file cannot be written; nothing is left behind.
        """
        content = self._content()
        sealed = {**content, "checksum": _checksum(content)}
        with write_whole(path) as place:
            place.write_text(json.dumps(sealed, allow_nan=False, ensure_ascii=False) + "\n", encoding="utf-8")

    def _content(self) -> dict[str, Any]:
        from fairtrial import __version__

        return {
            "kind": _KIND,
            "version": _VERSION,
            "made_by": f"fairtrial {__version__}",
            "fusion": self.fusion,
            "normalise": self.normalise,
            "parameters": dict(self.parameters),
            "criterion": self.criterion,
            "alpha": self.alpha,
            "threshold": _exact(self.threshold),
            "systems": [
                {"name": name, "threshold": _exact(threshold)}
                for name, threshold in zip(self.systems, self.system_thresholds, strict=True)
            ],
            "missing": {"policy": self.missing.policy, "neutral": self.missing.neutral.tolist()},
            "clients": list(self.clients),
            "steps": [
                {"operation": step.name, "numbers": {name: each.tolist() for name, each in step.numbers.items()}}
                for step in self.steps
            ],
        }

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
            A file that cannot be read, that is something else, or that is damaged.
        """
        data = read_whole(path)
        try:
            content = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: is not a model that was saved by fuse: it is not valid JSON") from error
        if not isinstance(content, dict) or content.get("kind") != _KIND:
            raise InputError(f"{path}: is not a model that was saved by fuse; save one with FusionModel.save")
        if content.get("version") != _VERSION:
            raise InputError(
                f"{path}: is a model of version {shown(content.get('version'))}, and this fairtrial reads version "
                f"{_VERSION}; fit and save it again"
            )
        known = content.pop("checksum", None)
        if known is not None and known != _checksum(content):
            raise InputError(
                f"{path}: is damaged: its checksum does not fit what it holds; fit and save the model again, or take "
                '"checksum" out if you changed the model yourself'
            )
        try:
            model = _model(content)
            _try(model)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(f"{path}: is damaged: {_reason(error)}; fit and save the model again") from error
        return model


def _checksum(content: Mapping[str, Any]) -> str:
    """Of what a model says, however it is laid out."""
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


def _exact(number: float) -> float | str:
    """A number as JSON has it: an infinite one as text."""
    return number if np.isfinite(number) else str(number)


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _model(content: dict[str, Any]) -> FusionModel:
    policy = content["missing"]["policy"]
    if policy not in get_args(Missing):
        raise ValueError(f"it names a way to treat missing scores that is not known, {shown(policy)}")
    return FusionModel(
        _text(content["fusion"]),
        _text(content["normalise"]),
        tuple(_text(entry["name"]) for entry in content["systems"]),
        tuple(_number(entry["threshold"]) for entry in content["systems"]),
        _text(content["criterion"]),
        _number(content["alpha"]),
        _number(content["threshold"]),
        tuple(_step(entry) for entry in content["steps"]),
        MissingScores(policy, _numbers(content["missing"]["neutral"])),
        dict(content["parameters"]),
        tuple(_text(name) for name in content["clients"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"a name is expected, not {shown(value)}")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)) or isnan(float(value)):
        raise ValueError(f"a number is expected, not {shown(value)}")
    return float(value)


def _numbers(value: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    found = np.asarray(value, dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError("a number of a step is not finite")
    return found


def _step(entry: Any) -> Step:
    if entry["operation"] not in OPERATIONS:
        raise ValueError(f"there is no operation {shown(entry['operation'])}")
    return Step(entry["operation"], {name: _numbers(value) for name, value in entry["numbers"].items()})


def _try(model: FusionModel) -> None:
    """Fuse a trial of every client and of anybody else, to see whether the numbers of all steps go together."""
    if len(model.systems) < 2 or not model.steps:
        raise ValueError("it fuses nothing")
    if model.missing.policy != "error" and model.missing.neutral.shape != (len(model.systems),):
        raise ValueError("there must be one neutral score per system")
    claim = np.arange(len(model.clients) + 1)
    with np.errstate(all="ignore"):
        fused = run_steps(model.steps, np.full((len(claim), len(model.systems)), 0.5), claim)
    if fused.shape != (len(claim), 1) or np.isnan(fused).any():
        raise ValueError("its steps do not give one score per trial")
