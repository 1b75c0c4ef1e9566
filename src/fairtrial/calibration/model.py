"""A fitted calibration: a small object that makes log-likelihood ratios of scores, and is saved as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairtrial.calibration.gaussian import GAUSSIAN
from fairtrial.calibration.isotonic import ISOTONIC
from fairtrial.calibration.kernel import KERNELS
from fairtrial.calibration.logistic import LOGISTIC
from fairtrial.calibration.methods import (
    CALIBRATIONS,
    DevScores,
    Influence,
    ScoreMap,
    calibrations_help,
    register_calibration,
)
from fairtrial.counting.errors import as_source
from fairtrial.errors import InputError, ParameterError, TrialsError, listed, shown
from fairtrial.formats.files import PathLike, read_whole, write_whole
from fairtrial.spread import Floats
from fairtrial.trials import Trials

__all__ = [
    "CALIBRATIONS",
    "Calibration",
    "calibrations_help",
    "check_prior",
    "fit_calibration",
    "register_calibration",
    "score_table",
    "side_by_side",
]

for _method in (LOGISTIC, ISOTONIC, GAUSSIAN, KERNELS):
    register_calibration(_method)

_KIND = "fairtrial calibration"
_VERSION = 1
_LEAST_PRIOR = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A map from the scores of some systems to natural log-likelihood ratios.

    Parameters
    ----------
    systems : tuple of str
        The systems whose scores it takes: one, or several that are fused.
    method : str
        How it was fitted: ``logistic`` and ``gaussian``, a weighted sum with an offset; ``pav``, steps that rise;
        ``kde``, a curve.
    mapping : ScoreMap
        The map itself.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which classes were weighed, by methods that do.
    notes : tuple of str, default ()
        What the reader should know.
    influence : Influence, optional
        How dev trials determine the map; None where it is not known, as of a calibration that was read from a file.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> trials = ft.Trials.from_arrays(np.random.default_rng(0).normal(2.0 * genuine), genuine)
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> calibration = ft.fit_calibration(dev)
    >>> calibration.apply(test)
    <Trials: 400 trials (100 genuine, 300 impostor), 1 system: logistic(system); ids: none>
    """

    systems: tuple[str, ...]
    method: str
    mapping: ScoreMap
    prior: float = 0.5
    notes: tuple[str, ...] = ()
    influence: Influence | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """What the calibrated system is called."""
        return f"{self.method}({' + '.join(self.systems)})"

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers it consists of, as they are saved."""
        return dict(self.mapping.numbers)

    def ratios(self, trials: Trials) -> Floats:
        """Give the log-likelihood ratio of each trial.

        Parameters
        ----------
        trials : Trials
            Trials of the systems of the calibration, and perhaps of others.

        Returns
        -------
        ndarray of float
            Natural log-likelihood ratios, shape (trials,).
        """
        missing = [name for name in self.systems if name not in trials.systems]
        if missing:
            raise TrialsError(f"the trials hold no scores of {listed(missing)}; they hold {listed(trials.systems)}")
        return self.mapping.ratios(score_table(trials, self.systems))

    def apply(self, trials: Trials) -> Trials:
        """Give the same trials with log-likelihood ratios as the scores of one system.

        Parameters
        ----------
        trials : Trials
            Trials of the systems of the calibration, and perhaps of others.

        Returns
        -------
        Trials
            To be evaluated, compared, fused or written like any others.
        """
        return side_by_side([self], trials)

    def to_dict(self) -> dict[str, Any]:
        """Give names and numbers, as they are saved.

        Returns
        -------
        dict
            What `save` writes.
        """
        return {
            "kind": _KIND,
            "version": _VERSION,
            "systems": list(self.systems),
            "method": self.method,
            "prior": self.prior,
            "parameters": self.parameters,
        }

    def save(self, path: PathLike) -> None:
        """Write it to a JSON file, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file, JSON.

        Raises
        ------
        OutputError
            A file that cannot be written.
        """
        with write_whole(path) as place:
            place.write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: PathLike) -> Calibration:
        """Read a calibration that was saved.

        Parameters
        ----------
        path : str or path-like
            The file, JSON.

        Returns
        -------
        Calibration
            The calibration, which gives the same ratios as the one that was saved.

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


def check_prior(prior: float) -> None:
    """Raise an error where a prior is none that classes can be weighed by."""
    if not _LEAST_PRIOR <= prior <= 1 - _LEAST_PRIOR:
        raise ParameterError(f"prior must be between {_LEAST_PRIOR:g} and 1 - {_LEAST_PRIOR:g}, not {prior:g}")


def score_table(trials: Trials, systems: Sequence[str]) -> Floats:
    """The scores of these systems: one row per trial, one column per system."""
    return np.column_stack([trials.column(name) for name in systems]).astype(np.float64, copy=False)


def _from_dict(found: dict[str, Any]) -> Calibration:
    systems, method = tuple(map(str, found["systems"])), str(found["method"])
    if method not in CALIBRATIONS:
        raise ValueError(f"there is no calibration {shown(method)}")
    mapping = CALIBRATIONS[method].read(found["parameters"], len(systems))
    return Calibration(systems, method, mapping, float(found["prior"]))


def fit_calibration(
    dev: Trials, *, systems: Sequence[str] | None = None, method: str = "logistic", prior: float = 0.5
) -> Calibration:
    """Fit a calibration to dev trials.

    Parameters
    ----------
    dev : Trials
        The trials that thresholds are chosen on, and that the calibration is fitted to.
    systems : sequence of str, optional
        The names of the systems; all by default. Several are fused, by ``logistic`` and ``gaussian`` only.
    method : str, default "logistic"
        How scores become ratios: a name in `CALIBRATIONS`.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which ``logistic`` and ``gaussian`` weigh the
        classes.

    Returns
    -------
    Calibration
        With notes on what was bounded.

    Raises
    ------
    ParameterError
        A method that is not known, or a prior that is not between 0 and 1.
    TrialsError
        A class without trials, or scores that the method cannot be fitted to.

    References
    ----------
    Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(4000) < 1000
    >>> dev = Trials.from_arrays(rng.normal(2.0 * genuine), genuine)
    >>> found = fit_calibration(dev)
    >>> round(found.parameters["weights"][0], 1), round(found.parameters["offset"], 1)
    (2.0, -2.0)
    """
    names = dev.systems if systems is None else tuple(dev.check_system(name) for name in systems)
    known = CALIBRATIONS.find(method)
    check_prior(prior)
    if len(names) != 1 and not known.fuses:
        raise ParameterError(f'{method} calibrates one system, not {listed(names)}; method="logistic" fuses several')
    as_source(dev, system=names[0], what="dev")  # both classes are there
    found = known.fit(DevScores(score_table(dev, names), dev.genuine, names, prior))
    return Calibration(names, method, found.mapping, prior, found.notes, found.influence)
