"""The score diagnostic: densities, errors against the threshold, the weighted error rate, and the DET curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.axes import check_drawable, score_range
from fairtrial.checks import check_number
from fairtrial.claims import GIVEN
from fairtrial.counting.errors import ErrorCounts
from fairtrial.curves import roc_curve
from fairtrial.errors import ParameterError, TrialsError
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.people import Cluster
from fairtrial.plots.det import det_plot
from fairtrial.plots.operating import OperatingCurve, operating_curves
from fairtrial.plots.style import figure_for, in_percent, legend_below, legible, look
from fairtrial.rules.criteria import CriterionLike, as_criterion
from fairtrial.tables import Terms, level_text, translate
from fairtrial.trial_sets import PROVENANCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairtrial.plots.style import Canvas

Floats = NDArray[np.float64]
_TAIL = 0.001
"""This share of a class at either end does not stretch the axis of scores."""
_ROOM = 0.05
_POINTS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Diagnostic:
    """What the four panels show of one system, on test."""

    curve: OperatingCurve
    alpha: float
    edges: Floats
    """Of the bins of both histograms."""
    genuine: Floats
    """Densities: of each bin, the share of the class over the width."""
    impostor: Floats
    errors: ErrorCounts
    """By rising threshold, for drawing over it."""

    @property
    def threshold(self) -> Floats:
        """Thresholds of these errors, and the ends of the axis in place of those beyond."""
        found = np.asarray(self.errors.threshold)
        return np.append(np.where(np.isfinite(found), found, np.clip(found, *self._ends)), self._ends[1])

    @property
    def far(self) -> Floats:
        """FAR at these thresholds."""
        return np.append(self.errors.far, self.errors.far[-1])

    @property
    def frr(self) -> Floats:
        """FRR at these thresholds."""
        return np.append(self.errors.frr, self.errors.frr[-1])

    @property
    def wer(self) -> Floats:
        """The weighted error rate at these thresholds."""
        return self.alpha * self.far + (1 - self.alpha) * self.frr

    @property
    def _ends(self) -> tuple[float, float]:
        finite = self.errors.threshold[np.isfinite(self.errors.threshold)]
        return min(float(self.edges[0]), float(finite[0])), max(float(self.edges[-1]), float(finite[-1]))


def diagnostics(
    dev: TrialsLike,
    test: TrialsLike,
    *,
    systems: Sequence[str] | None = None,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    bins: int = 40,
) -> tuple[Diagnostic, ...]:
    """Prepare the score diagnostic of one or several systems; `alpha` is also the weight of the WER.

    Parameters
    ----------
    dev : Trials or data frame
        The trials that thresholds are chosen on.
    test : Trials or data frame
        The trials that are judged.
    systems : sequence of str, optional
        The names of the systems; all by default.
    criterion : str, Criterion, DetectionCosts or callable, default "eer"
        How the threshold is chosen on dev: a name in `CRITERIA`, a criterion, detection costs, or a function
        ``C(far, frr, alpha)`` of arrays.
    alpha : float, optional
        The weight or the target that the criterion takes; 0.5 by default, but a criterion that aims at a target needs
        one.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.
    bins : int, default 40
        How many bars of the densities.

    Returns
    -------
    tuple of Diagnostic
        One entry per system.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, Fig. 3.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> [found.curve.system for found in diagnostics(dev, test)]
    ['old', 'new']
    """
    check_number("bin", bins, most=10_000)
    dev, test = trials_of(dev, "dev"), trials_of(test, "test")
    curves = operating_curves(
        dev, test, systems=systems, criterion=criterion, alpha=alpha, confidence=confidence, cluster=cluster
    )
    weight = as_criterion(criterion).resolve_alpha(alpha) if alpha is None else float(alpha)
    found = []
    for curve in curves:
        scores = test.column(curve.system).astype(np.float64)
        classes = [scores[rows & np.isfinite(scores)] for rows in (test.genuine, ~test.genuine)]
        if not all(len(part) for part in classes):
            raise TrialsError(f"{curve.system}: there is no finite score of one class")
        check_drawable(np.concatenate(classes))
        edges = _edges(classes, bins)
        genuine, impostor = (np.histogram(part, edges)[0] / (len(part) * np.diff(edges)) for part in classes)
        errors = _by_threshold(roc_curve(test, system=curve.system).counts)
        found.append(Diagnostic(curve, weight, edges, genuine, impostor, errors))
    return tuple(found)


def _by_threshold(counts: ErrorCounts) -> ErrorCounts:
    """At most so many points that no step of FAR or FRR between them can be seen, but those that are really there."""
    travelled = counts.frr - counts.far
    steps = np.linspace(travelled[0], travelled[-1], _POINTS)
    return counts[np.unique(np.searchsorted(travelled, steps).clip(0, len(counts) - 1))]


def _edges(classes: Sequence[Floats], bins: int) -> Floats:
    tails = np.concatenate([np.quantile(part, [_TAIL, 1 - _TAIL]) for part in classes])
    low, high = score_range(float(tails.min()), float(tails.max()))
    spare = _ROOM * (high - low)
    return np.linspace(low - spare, high + spare, bins + 1)


def diagnostic_plot(
    diagnostics: Diagnostic | Sequence[Diagnostic], *, terms: Terms = "default", figure: Canvas | None = None
) -> tuple[Axes, Axes, Axes, Axes]:
    """Draw four panels: densities, FAR and FRR against the threshold, the WER, and the DET curve.

    The scores of several systems have different scales: each is drawn over its own range, from 0 to 1.

    Parameters
    ----------
    diagnostics : Diagnostic or sequence of Diagnostic
        What `diagnostics` gives.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; a new figure by default.

    Returns
    -------
    tuple of matplotlib.axes.Axes
        The axes of (a), (b), (c) and (d).

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, Fig. 3.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> len(diagnostic_plot(diagnostics(dev, test, systems=["new"])))
    4
    """
    shown = (diagnostics,) if isinstance(diagnostics, Diagnostic) else tuple(diagnostics)
    if not shown:
        raise ParameterError("there is no system to draw")
    several = len(shown) > 1

    def placed(one: Diagnostic, scores: Floats | float) -> Any:
        """Where scores are drawn: those of several systems, each over its own range."""
        return (scores - one.edges[0]) / (one.edges[-1] - one.edges[0]) if several else scores

    with figure_for(figure, (9.6, 7.4)) as own:
        density, rates, wer, det = own.subplots(2, 2).ravel().tolist()
        for number, one in enumerate(shown):
            who = f"{legible(one.curve.system)}, " if several else ""
            first, second = (look(number).colour,) * 2 if several else (look(0).colour, look(1).colour)
            edges, threshold = placed(one, one.edges), placed(one, one.threshold)
            for values, colour, line, name in (
                (one.genuine, first, "-", "genuine"),
                (one.impostor, second, "--", "impostor"),
            ):
                heights = values / np.max(values) if several else values
                density.stairs(heights, edges, fill=True, color=colour, alpha=0.15)
                density.stairs(heights, edges, color=colour, linestyle=line, linewidth=1.4, label=f"{who}{name}")
            rates.plot(threshold, one.frr, color=first, drawstyle="steps-post", label=f"{who}{translate('FRR', terms)}")
            far = f"{who}{translate('FAR', terms)}"
            rates.plot(threshold, one.far, color=second, linestyle="--", drawstyle="steps-post", label=far)
            name = legible(one.curve.system)
            wer.plot(threshold, one.wer, color=first, linestyle=look(number).line, drawstyle="steps-post", label=name)
            for panel in (density, rates, wer):
                chosen = placed(one, one.curve.point.threshold)
                panel.axvline(chosen, color=first if several else "black", linestyle=":", linewidth=1)
        _finish((density, rates, wer), shown)
        det_plot([one.curve for one in shown], terms=terms, ax=det)
        point = shown[0].curve.point
        det.set_title(
            f"(d) DET on test; point: threshold from {PROVENANCES[point.kind].source},\n"
            f"{level_text(point.confidence)} intervals, {GIVEN[point.interval_threshold]}"
        )
        return density, rates, wer, det


def _finish(panels: tuple[Axes, Axes, Axes], shown: Sequence[Diagnostic]) -> None:
    several = len(shown) > 1
    ends = (0, 1) if several else (float(shown[0].edges[0]), float(shown[0].edges[-1]))
    where = ", over the range of each system" if several else ""
    titles = (
        "(a) densities of test scores",
        f"(b) error rates on test; dotted: threshold from {PROVENANCES[shown[0].curve.point.kind].source}",
        f"(c) WER on test, alpha {shown[0].alpha:g}",
    )
    for panel, title in zip(panels, titles, strict=True):
        panel.set_xlim(*ends)
        panel.set_xlabel(f"score{where}" if panel is panels[0] else f"threshold{where}")
        panel.set_title(title)
        panel.set_ylim(bottom=0)
    for panel in panels if several else panels[:2]:
        legend_below(panel)
    panels[0].set_ylabel("density, highest = 1" if several else "density")
    in_percent(panels[1].yaxis, "error rate")
    in_percent(panels[2].yaxis, "WER")
