"""A fitted calibration: a small object that makes log-likelihood ratios of scores, and is saved as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from fairtrial.calibration.isotonic import Steps, fit_steps
from fairtrial.calibration.logistic import LogisticFit, fit_logistic
from fairtrial.checks import check_choice
from fairtrial.counting.errors import as_source
from fairtrial.errors import InputError, ParameterError, TrialsError, listed, shown
from fairtrial.formats.files import PathLike, read_whole, write_whole
from fairtrial.spread import Floats
from fairtrial.trials import Trials

Method: TypeAlias = Literal["logistic", "pav"]
METHODS: tuple[Method, ...] = ("logistic", "pav")
_KIND = "fairtrial calibration"
_VERSION = 1
_LEAST_PRIOR = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A map from the scores of some systems to natural log-likelihood ratios.

    Parameters
    ----------
    systems
        The systems whose scores it takes: one, or several that are fused.
    method
        ``logistic``, a weighted sum with an offset; ``pav``, steps that rise.
    prior
        The prior at which a logistic calibration was fitted.
    weights, offset
        Of a logistic calibration.
    steps
        Of a calibration by steps.
    """

    systems: tuple[str, ...]
    method: Method
    prior: float = 0.5
    weights: tuple[float, ...] = ()
    offset: float = 0.0
    steps: Steps | None = None
    notes: tuple[str, ...] = ()
    fit: LogisticFit | None = field(default=None, repr=False)
    """How dev trials determine a logistic calibration; None where it was read from a file."""

    @property
    def name(self) -> str:
        """What the calibrated system is called."""
        return f"{self.method}({' + '.join(self.systems)})"

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers it consists of."""
        if self.steps is not None:
            return {"ends": self.steps.ends.tolist(), "ratios": self.steps.ratios.tolist()}
        return {"weights": list(self.weights), "offset": self.offset}

    def ratios(self, trials: Trials) -> Floats:
        """The log-likelihood ratio of each trial."""
        missing = [name for name in self.systems if name not in trials.systems]
        if missing:
            raise TrialsError(f"the trials hold no scores of {listed(missing)}; they hold {listed(trials.systems)}")
        if self.steps is not None:
            return self.steps.apply(trials.column(self.systems[0]))
        columns = [trials.column(name).astype(np.float64) for name in self.systems]
        with np.errstate(invalid="ignore"):
            found = sum(
                (weight * column for weight, column in zip(self.weights, columns, strict=True)),
                np.full(len(trials), self.offset),
            )
        if np.isnan(found).any():
            raise TrialsError("infinite scores of two systems contradict each other; there is no ratio for them")
        return np.asarray(found)

    def apply(self, trials: Trials) -> Trials:
        """The same trials with log-likelihood ratios as the scores of one system.

        Parameters
        ----------
        trials
            Trials of the systems of the calibration, and perhaps of others.

        Returns
        -------
        Trials
            To be evaluated, compared, fused or written like any others.
        """
        return side_by_side([self], trials)

    def to_dict(self) -> dict[str, Any]:
        """Names and numbers, as they are saved."""
        return {
            "kind": _KIND,
            "version": _VERSION,
            "systems": list(self.systems),
            "method": self.method,
            "prior": self.prior,
            "parameters": self.parameters,
        }

    def save(self, path: PathLike) -> None:
        """Write it to a JSON file, whole or not at all."""
        with write_whole(path) as place:
            place.write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: PathLike) -> Calibration:
        """Read a calibration that was saved.

        Raises
        ------
        InputError
            A file that is something else, of a later version, or damaged.
        """
        data = read_whole(path)
        try:
            found = json.loads(data)
            if not isinstance(found, dict) or found.get("kind") != _KIND:
                raise InputError(f"{path}: is not a calibration that fairtrial saved")
            if found["version"] != _VERSION:
                raise InputError(f"{path}: is of version {found['version']}; this fairtrial reads version {_VERSION}")
            return _from_dict(found)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(f"{path}: cannot be read as a calibration: {shown(error, 100)}") from error


def side_by_side(calibrations: Sequence[Calibration], trials: Trials) -> Trials:
    """The same trials with the log-likelihood ratios of several calibrations, one system each."""
    ratios = np.column_stack([own.ratios(trials) for own in calibrations])
    return replace(trials, scores=ratios, systems=tuple(own.name for own in calibrations))


def _from_dict(found: dict[str, Any]) -> Calibration:
    systems, numbers = tuple(map(str, found["systems"])), found["parameters"]
    method = found["method"]
    check_choice("method", method, METHODS)
    if method == "pav":
        ends, ratios = (np.array(numbers[name], dtype=np.float64) for name in ("ends", "ratios"))
        if len(ratios) != len(ends) + 1 or len(systems) != 1 or (np.diff(ends) <= 0).any():
            raise ValueError("its steps do not fit together")
        return Calibration(systems, method, steps=Steps(ends, ratios))
    weights = tuple(map(float, numbers["weights"]))
    if len(weights) != len(systems):
        raise ValueError("it has not one weight per system")
    return Calibration(systems, method, float(found["prior"]), weights, float(numbers["offset"]))


def fit_calibration(
    dev: Trials, *, systems: tuple[str, ...] | None = None, method: Method = "logistic", prior: float = 0.5
) -> Calibration:
    """Fit a calibration to dev trials.

    Parameters
    ----------
    dev
        Trials of both classes.
    systems
        The systems whose scores it takes; all by default. Several are fused, by logistic calibration only.
    method
        ``logistic`` or ``pav``.
    prior
        The prior at which the cost of a logistic calibration counts.

    Returns
    -------
    Calibration
        With notes on what was bounded.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(4000) < 1000
    >>> dev = Trials.from_arrays(rng.normal(2.0 * genuine), genuine)
    >>> found = fit_calibration(dev)
    >>> round(found.weights[0], 1), round(found.offset, 1)
    (2.0, -2.0)
    """
    names = dev.systems if systems is None else tuple(dev.check_system(name) for name in systems)
    check_choice("method", method, METHODS)
    if not _LEAST_PRIOR <= prior <= 1 - _LEAST_PRIOR:
        raise ParameterError(f"prior must be between {_LEAST_PRIOR:g} and 1 - {_LEAST_PRIOR:g}, not {prior:g}")
    as_source(dev, system=names[0], what="dev")  # both classes are there
    return _FITS[method](dev, names, prior)


def _fit_logistic(dev: Trials, systems: tuple[str, ...], prior: float) -> Calibration:
    table = np.column_stack([dev.column(name) for name in systems])
    fit = fit_logistic(table, dev.genuine, prior, systems)
    notes = list(fit.notes)
    if len(systems) == 1 and fit.weights[0] < 0:
        notes.append("evidence falls as the score rises: are the scores distances? Then they are to be negated")
    return Calibration(systems, "logistic", prior, tuple(fit.weights.tolist()), fit.offset, notes=tuple(notes), fit=fit)


def _fit_pav(dev: Trials, systems: tuple[str, ...], prior: float) -> Calibration:
    if len(systems) != 1:
        raise ParameterError(f"pav calibrates one system, not {listed(systems)}; method='logistic' fuses several")
    return Calibration(systems, "pav", steps=fit_steps(as_source(dev, system=systems[0])))


_FITS: dict[Method, Callable[[Trials, tuple[str, ...], float], Calibration]] = {
    "logistic": _fit_logistic,
    "pav": _fit_pav,
}
