"""A fitted calibration: a small object that maps scores to log-likelihood ratios, and is saved as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from fairtrial.calibration.evidence import elub_bounds
from fairtrial.calibration.methods import (
    CALIBRATIONS,
    DevScores,
    Influence,
    Linear,
    MappedSource,
    ScoreMap,
    score_table,
)
from fairtrial.core.errors import ParameterError, TrialsError, check_choice
from fairtrial.core.notes import Note
from fairtrial.core.schema import NAME, NUMBER, TEXTS, Entries, Key
from fairtrial.core.trials import Trials
from fairtrial.core.words import listed, shown
from fairtrial.counting.tallies import ScoreData, ScoreSource
from fairtrial.formats.models import TABLE, ModelFormat, SavedModel
from fairtrial.inference.split import TrialSets
from fairtrial.inference.variance import Floats

_LEAST_PRIOR = 1e-6
BoundsName: TypeAlias = Literal["none", "elub"]


@dataclass(frozen=True, slots=True, eq=False)
class Calibration(SavedModel):
    """A map from the scores of some systems to natural log-likelihood ratios.

    Parameters
    ----------
    systems : tuple of str
        The systems whose scores it takes: one, or several that are fused.
    method : str
        The name of the method that fitted it.
    mapping : ScoreMap
        The map itself.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which classes were weighted.
    notes : tuple of Note, default ()
        What the reader should know.
    influence : Influence, optional
        How dev trials determine the map; None if unknown, as of a calibration that was read from a file.
    bounds : tuple of (float, float), optional
        The lowest and the highest ratio; ratios beyond them are set to them.

    Examples
    --------
    >>> import fairtrial as ft
    >>> data = ft.groups.synthetic_groups({"all": 40})
    >>> calibration = ft.calibration.fit_calibration(data.dev)
    >>> calibration.apply(data.test).systems
    ('logistic(system)',)
    """

    systems: tuple[str, ...]
    method: str
    mapping: ScoreMap
    prior: float = 0.5
    notes: tuple[Note, ...] = ()
    influence: Influence | None = field(default=None, repr=False)
    bounds: tuple[float, float] | None = None

    FORMAT: ClassVar = ModelFormat(
        "fairtrial calibration",
        1,
        (Key("systems", TEXTS), Key("method", NAME), Key("prior", NUMBER), Key("parameters", TABLE)),
    )

    @property
    def name(self) -> str:
        """The name of the calibrated system."""
        return f"{self.method}({' + '.join(self.systems)})"

    @property
    def parameters(self) -> dict[str, Any]:
        """Its numbers, as in the saved file."""
        return {**self.mapping.numbers, **({} if self.bounds is None else {"bounds": list(self.bounds)})}

    @property
    def described(self) -> dict[str, float]:
        """The numbers that a table shows, by name."""
        bounds = {} if self.bounds is None else dict(zip(("lower bound", "upper bound"), self.bounds, strict=True))
        return {**self.mapping.described(self.systems), **bounds}

    def map(self, scores: Floats) -> Floats:
        """Map scores, one row per trial and one column per system, to one ratio per trial."""
        try:
            with np.errstate(over="raise"):
                ratios = self.mapping.ratios(scores)
                (2 * np.abs(ratios)).sum()  # as costs in bits are added up
        except FloatingPointError as error:
            template = "{name}: the ratios are beyond the range of 64-bit floats; rescale the scores or the model"
            raise TrialsError(template, code="overflow", name=self.name) from error
        return ratios if self.bounds is None else np.clip(ratios, *self.bounds)

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
            template = "the trials hold no scores of {missing}; they hold {systems}"
            raise TrialsError(template, code="missing-systems", missing=listed(missing), systems=listed(trials.systems))
        return self.map(score_table(trials, self.systems))

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
        return replace(trials, scores=self.ratios(trials)[:, None], systems=(self.name,))

    def to_dict(self) -> dict[str, Any]:
        """Give names and numbers, as in the saved file.

        Returns
        -------
        dict
            The content of the file that `save` writes.
        """
        values = {"systems": list(self.systems), "method": self.method, "prior": self.prior}
        return {**values, "parameters": self.parameters}

    @classmethod
    def from_entries(cls, entries: Entries) -> Calibration:
        """Make the calibration of the checked entries of a file.

        Parameters
        ----------
        entries : dict
            A value for every key of the format.

        Returns
        -------
        Calibration
            The calibration, without the influence of dev trials.

        Raises
        ------
        ValueError, KeyError or TypeError
            If the method is unknown, or its numbers do not go together.
        """
        systems, method = tuple(entries["systems"]), entries["method"]
        if method not in CALIBRATIONS:
            raise ValueError(f"there is no calibration {shown(method)}")
        numbers = dict(entries["parameters"])
        bounds = numbers.pop("bounds", None)
        if bounds is not None:
            low, high = map(float, bounds)
            bounds = low, high
        mapping = CALIBRATIONS[method].read(numbers, len(systems))
        return cls(systems, method, mapping, entries["prior"], bounds=bounds)


def ratio_source(scores: ScoreSource, calibration: Calibration) -> MappedSource:
    """Calibrate the scores of one system as they are passed over."""
    return MappedSource(scores, replace(calibration, influence=None).map)


def unchanged_scores(system: str) -> Calibration:
    """Take the scores of a system as log-likelihood ratios."""
    return Calibration((system,), "none", Linear((1.0,), 0.0))


def fit_calibration(
    dev: ScoreData,
    *,
    systems: str | Sequence[str] | None = None,
    method: str = "logistic",
    prior: float = 0.5,
    bounds: BoundsName = "none",
) -> Calibration:
    """Fit a calibration of one system, or of several together, to dev trials.

    Parameters
    ----------
    dev : Trials, ScoreSource or tuple of two array_like
        The trials that thresholds are chosen on, and that the calibration is fitted to.
    systems : str or sequence of str, optional
        The names of the systems; all by default. Several are fused, by ``logistic`` and ``gaussian`` only.
    method : str, default "logistic"
        How scores become ratios: a name in `CALIBRATIONS`.
    prior : float, default 0.5
        The prior probability of a genuine trial, between 0 and 1, at which ``logistic`` and ``gaussian`` weigh the
        classes.
    bounds : {"none", "elub"}, default "none"
        Whether ratios are bounded by those that dev supports; see `elub_bounds`.

    Returns
    -------
    Calibration
        The fitted map, with notes.

    Raises
    ------
    ParameterError
        If the method is unknown, does not take several systems, or the prior is out of range.
    TrialsError
        If a class has no trials, or the method cannot be fitted to the scores.

    References
    ----------
    Brümmer & du Preez, Application-independent evaluation of speaker detection, 2006.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> genuine = np.arange(4000) < 1000
    >>> dev = Trials.from_arrays(rng.normal(2.0 * genuine), genuine)
    >>> calibration = fit_calibration(dev)
    >>> round(calibration.parameters["weights"][0], 1), round(calibration.parameters["offset"], 1)
    (2.0, -2.0)
    """
    fitter = CALIBRATIONS.find(method)
    check_choice("bounds", bounds, ("none", "elub"))
    if not _LEAST_PRIOR <= prior <= 1 - _LEAST_PRIOR:
        template = "prior must be between {least:g} and 1 - {least:g}, not {prior:g}"
        raise ParameterError(template, code="out-of-range", least=_LEAST_PRIOR, prior=prior)
    sets = TrialSets(None, dev)
    names = sets.system_names(systems)
    if len(names) != 1 and not fitter.fuses:
        able = [name for name, other in CALIBRATIONS.items() if other.fuses]
        template = "{method} calibrates one system, not {systems}; {able} fuse several"
        raise ParameterError(template, code="one-system", method=method, systems=listed(names), able=listed(able))
    scores = DevScores.of(sets.test, names, prior)
    fit = fitter.fit(scores)
    fitted = Calibration(names, method, fit.mapping, prior, fit.notes, fit.influence)
    if bounds == "none":
        return fitted
    if scores.scores is None or scores.genuine is None:
        return replace(fitted, bounds=elub_bounds(ratio_source(scores.source, fitted)))
    ratios = fitted.map(scores.scores)
    return replace(fitted, bounds=elub_bounds((ratios[scores.genuine], ratios[~scores.genuine])))


def refit(calibration: Calibration, dev: Trials) -> Calibration:
    """Fit the same calibration to other dev trials."""
    return fit_calibration(
        dev,
        systems=calibration.systems,
        method=calibration.method,
        prior=calibration.prior,
        bounds="none" if calibration.bounds is None else "elub",
    )
