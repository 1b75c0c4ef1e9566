"""The scores of two systems against each other, with the Gaussian of each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairtrial.axes import check_drawable
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.plots.style import GREY, axes_for, legend_below, legible, look
from fairtrial.trial_sets import seed_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
_TURN = np.linspace(0, 2 * np.pi, 181)


@dataclass(frozen=True, slots=True, eq=False)
class ScatteredClass:
    """A subsample of the trials of one class, and the mean and covariance of all of them."""

    points: Floats
    """One row per trial, one column per system."""
    trials: int
    mean: Floats
    covariance: Floats

    def ellipse(self, deviations: float) -> Floats:
        """Points around the mean at so many standard deviations in every direction, one row per point."""
        values, vectors = np.linalg.eigh(self.covariance)
        axes = vectors * np.sqrt(np.clip(values, 0, None))
        circle = np.stack([np.cos(_TURN), np.sin(_TURN)], axis=1)
        return np.asarray(self.mean + deviations * circle @ axes.T)


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """What a scatter plot of two systems shows."""

    a: str
    b: str
    genuine: ScatteredClass
    impostor: ScatteredClass
    seed: int
    left_out: int
    """Trials with an infinite score, which no plot can show."""


def scatter_data(
    trials: TrialsLike, a: str, b: str, *, points: int = 500, rng: np.random.Generator | int | None = 0
) -> Scatter:
    """Draw at most so many trials of each class, without replacement, and fit a Gaussian to all of a class.

    Parameters
    ----------
    trials : Trials or data frame
        Trials, or a data frame of them.
    a, b : str
        The names of the two systems.
    points : int, default 500
        At most so many trials of each class.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. The figure states it.

    Returns
    -------
    Scatter
        The trials that were drawn, and the Gaussians.

    Raises
    ------
    TrialsError
        A system that is not known, or a class without trials.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, Fig. 2.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> scatter_data(test, "old", "new").seed
    0
    """
    if points < 1:
        raise ParameterError(f"there must be at least one point per class, not {points}")
    seed = seed_of(rng)
    trials = trials_of(trials, "trials")
    scores = np.stack([trials.column(name).astype(np.float64) for name in (a, b)], axis=1)
    finite = np.isfinite(scores).all(axis=1)
    generator = np.random.default_rng(seed)
    genuine, impostor = (
        _sampled(scores[rows & finite], points, generator) for rows in (trials.genuine, ~trials.genuine)
    )
    return Scatter(a, b, genuine, impostor, seed, int(np.count_nonzero(~finite)))


def _sampled(scores: Floats, points: int, rng: np.random.Generator) -> ScatteredClass:
    if not len(scores):
        raise TrialsError("there is no trial of one class with finite scores of both systems")
    check_drawable(scores)
    rows = rng.choice(len(scores), min(points, len(scores)), replace=False)
    with np.errstate(over="ignore", invalid="ignore"):
        covariance = np.cov(scores, rowvar=False, bias=True)
    if not np.isfinite(covariance).all():
        raise TrialsError("the scores are too large to fit a Gaussian to; scale them down")
    return ScatteredClass(scores[np.sort(rows)], len(scores), scores.mean(axis=0), covariance)


def scatter_plot(data: Scatter, *, thresholds: Mapping[str, float] | None = None, ax: Axes | None = None) -> Axes:
    """Draw the scores of two systems, and ellipses at one and two standard deviations of each class.

    Parameters
    ----------
    data : Scatter
        What `scatter_data` gives.
    thresholds : dict of str to float, optional
        The threshold of each system from dev, drawn as lines.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, Fig. 2.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> scatter_plot(scatter_data(test, "old", "new")).get_xlabel()
    'score of old'
    """
    with axes_for(ax, (5.8, 5.2)) as own:
        # the larger class first, so that it does not hide the other
        for number, name, found in ((1, "impostor", data.impostor), (0, "genuine", data.genuine)):
            drawn = look(number)
            own.plot(
                *found.points.T,
                drawn.marker,
                color=drawn.colour,
                markersize=3,
                alpha=0.45,
                markeredgewidth=0,
                label=f"{name}: {len(found.points):,} of {found.trials:,}",
            )
        for number, found in ((1, data.impostor), (0, data.genuine)):
            for deviations, line in ((1, "-"), (2, "--")):
                own.plot(*found.ellipse(deviations).T, color="white", linewidth=3)
                own.plot(*found.ellipse(deviations).T, color=look(number).colour, linestyle=line, linewidth=1.8)
        given = thresholds or {}
        if np.isfinite(given.get(data.a, np.nan)):
            own.axvline(given[data.a], color=GREY, linestyle=":", label="thresholds from dev")
        if np.isfinite(given.get(data.b, np.nan)):
            own.axhline(given[data.b], color=GREY, linestyle=":")
        own.set_xlabel(f"score of {legible(data.a)}")
        own.set_ylabel(f"score of {legible(data.b)}")
        lost = f"; {data.left_out:,} trials with infinite scores left out" if data.left_out else ""
        own.set_title(
            f"a random subsample of each class (seed {data.seed}){lost}\n"
            "ellipses: Gaussian of all trials of the class, 1 and 2 standard deviations"
        )
        legend_below(own, markerscale=2)
        return own
