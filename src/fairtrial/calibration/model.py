"""A fitted calibration: a small object that makes log-likelihood ratios of scores, and is saved as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairtrial.calibration.methods import (
    CALIBRATIONS,
    DevScores,
    Influence,
    ScoreMap,
    calibrations_help,
    register_calibration,
)
from fairtrial.calibration.nonparametric import ISOTONIC, KERNELS
from fairtrial.calibration.parametric import GAUSSIAN, LOGISTIC
from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.schema import NAME, NUMBER, TEXTS, Entries, Key
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, shown
from fairtrial.counting.tallies import as_source
from fairtrial.formats.files import PathLike
from fairtrial.formats.models import TABLE, ModelFormat
from fairtrial.inference.variance import Floats

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

_FORMAT = ModelFormat(
    "fairtrial calibration",
    1,
    (
        Key("systems", TEXTS),
        Key("method", NAME),
        Key("prior", NUMBER),
        Key("parameters", TABLE),
    ),
)
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
    >>> calibration = ft.calibration.fit_calibration(dev)
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
            "kind": _FORMAT.kind,
            "version": _FORMAT.version,
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
            If the file cannot be written.
        """
        _FORMAT.save(self.to_dict(), path)

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
            If the file cannot be read, is something else, of another version, or damaged.
        """
        return _FORMAT.load(path, _from_entries)


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


def _from_entries(entries: Entries) -> Calibration:
    """Make the calibration that was saved."""
    systems, method = tuple(entries["systems"]), entries["method"]
    if method not in CALIBRATIONS:
        raise ValueError(f"there is no calibration {shown(method)}")
    mapping = CALIBRATIONS[method].read(entries["parameters"], len(systems))
    return Calibration(systems, method, mapping, entries["prior"])


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
