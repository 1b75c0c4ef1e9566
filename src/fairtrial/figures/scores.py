"""Draw scores: diagnostic, scatter, correlation, bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrial.core.errors import ParameterError, TrialsError, check_number
from fairtrial.core.trials import Trials, check_drawable
from fairtrial.core.words import level_text, p_phrase, term
from fairtrial.evaluation.comparison import PairComparison
from fairtrial.evaluation.roc import roc_curve
from fairtrial.figures.axes import Floats, linear_axis, padded, score_range
from fairtrial.figures.det import OperatingCurve, det_plot, operating_curves
from fairtrial.figures.style import GREY, PALE, axes_for, figure_for, in_percent, legend_below, legible, look, several
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.fusion.prediction import SystemCorrelations
from fairtrial.inference.bootstrap import BootstrapMethod
from fairtrial.inference.estimates import GIVEN, GIVEN_ALONG
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, seed_of
from fairtrial.rules.criteria import CriterionLike, as_criterion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairtrial.figures.style import Canvas


_TAIL = 0.001
"""The proportion of a class at either end that does not stretch the axis of scores."""
_ROOM = 0.05
_SAMPLED = 1_000_000
"""Scores from which the ends of the axis are estimated."""
_POINTS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Densities:
    """Histograms of both classes on the same bins of equal width, each of area 1 but for outliers."""

    low: float
    high: float
    """Where the first bin begins, and the last one ends."""
    genuine: Floats
    impostor: Floats

    @property
    def edges(self) -> Floats:
        """Where bins begin and end."""
        return np.linspace(self.low, self.high, len(self.genuine) + 1)

    def to_dict(self) -> dict[str, Any]:
        """Give the chart `density`."""
        return {
            "genuine": self.genuine.tolist(),
            "impostor": self.impostor.tolist(),
            "top": 1.05 * float(max(self.genuine.max(), self.impostor.max())) or 1.0,
            "scores": linear_axis("score", (self.low, self.high)).to_dict(),
        }


def densities_of(trials: Trials, system: str | None = None, *, bins: int = 60) -> Densities:
    """Estimate the densities of the finite scores of both classes."""
    scores = trials.column(system).astype(np.float64, copy=False)
    finite = np.isfinite(scores)
    classes = [scores[rows & finite] for rows in (trials.genuine, ~trials.genuine)]
    for values in classes:
        check_drawable(values)
    tails = [
        np.quantile(values[:: 1 + len(scores) // _SAMPLED], [_TAIL, 1 - _TAIL]) for values in classes if len(values)
    ]
    if not tails:
        return Densities(0.0, 1.0, np.zeros(1), np.zeros(1))
    low, high = padded(score_range(float(np.min(tails)), float(np.max(tails))), room=_ROOM)
    edges = np.linspace(low, high, bins + 1)
    heights = (np.histogram(values, edges)[0] / max(len(values), 1) / (edges[1] - edges[0]) for values in classes)
    return Densities(low, high, *heights)


@dataclass(frozen=True, slots=True, eq=False)
class Diagnostic:
    """The scores and errors of one system on test."""

    curve: OperatingCurve
    alpha: float
    densities: Densities
    threshold: Floats
    """Rising, and finite: the ends of the axis instead of infinite thresholds."""
    far: Floats
    frr: Floats

    @property
    def wer(self) -> Floats:
        """The weighted error rate at these thresholds."""
        return self.alpha * self.far + (1 - self.alpha) * self.frr


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
    >>> [one.curve.system for one in diagnostics(dev, test)]
    ['old', 'new']
    """
    check_number("bin", bins, most=10_000)
    dev, test = trials_of(dev, "dev"), trials_of(test, "test")
    curves = operating_curves(
        dev, test, systems=systems, criterion=criterion, alpha=alpha, confidence=confidence, cluster=cluster
    )
    weight = as_criterion(criterion).resolve_alpha(alpha) if alpha is None else float(alpha)
    shown = []
    for curve in curves:
        scores = test.column(curve.system)
        if not all(np.isfinite(scores[rows]).any() for rows in (test.genuine, ~test.genuine)):
            raise TrialsError(f"{curve.system}: there is no finite score of one class", code="no-finite-scores")
        densities = densities_of(test, curve.system, bins=bins)
        counts = roc_curve(test, system=curve.system).counts
        # few points, but no step of FAR or FRR between them can be seen that is not really there
        change = counts.frr - counts.far
        steps = np.searchsorted(change, np.linspace(change[0], change[-1], _POINTS))
        counts = counts[np.unique(steps.clip(0, len(counts) - 1))]
        finite = counts.threshold[np.isfinite(counts.threshold)]
        low, high = min(densities.low, float(finite[0])), max(densities.high, float(finite[-1]))
        threshold = np.append(np.clip(counts.threshold, low, high), high)
        far, frr = (np.append(rate, rate[-1]) for rate in (counts.far, counts.frr))
        shown.append(Diagnostic(curve, weight, densities, threshold, far, frr))
    return tuple(shown)


def diagnostic_plot(
    diagnostics: Diagnostic | Sequence[Diagnostic], *, figure: Canvas | None = None
) -> tuple[Axes, Axes, Axes, Axes]:
    """Draw four panels: densities, FAR and FRR against the threshold, the WER, and the DET curve.

    The scores of several systems have different scales: each is drawn over its own range, from 0 to 1.

    Parameters
    ----------
    diagnostics : Diagnostic or sequence of Diagnostic
        What `diagnostics` gives.
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
    shown = several(diagnostics, "system")
    many = len(shown) > 1
    with figure_for(figure, "diagnostic") as own:
        density, rates, wer, det = own.subplots(2, 2).ravel().tolist()
        for number, one in enumerate(shown):
            name, drawn = legible(one.curve.system), look(number)
            who = f"{name}, " if many else ""
            first, second = (drawn.colour,) * 2 if many else (look(0).colour, look(1).colour)
            low, width = (one.densities.low, one.densities.high - one.densities.low) if many else (0.0, 1.0)
            edges, threshold = (one.densities.edges - low) / width, (one.threshold - low) / width
            for word, values, colour, line in (
                ("genuine", one.densities.genuine, first, "-"),
                ("impostor", one.densities.impostor, second, "--"),
            ):
                heights = values / np.max(values) if many else values
                density.stairs(heights, edges, fill=True, color=colour, alpha=0.15)
                density.stairs(heights, edges, color=colour, linestyle=line, linewidth=1.4, label=f"{who}{word}")
            steps: dict[str, Any] = {"drawstyle": "steps-post"}
            rates.plot(threshold, one.frr, color=first, label=f"{who}{term('FRR')}", **steps)
            rates.plot(threshold, one.far, color=second, linestyle="--", label=f"{who}{term('FAR')}", **steps)
            wer.plot(threshold, one.wer, color=first, linestyle=drawn.line, label=name, **steps)
            for panel in (density, rates, wer):
                chosen = (one.curve.point.threshold - low) / width
                panel.axvline(chosen, color=first if many else "black", linestyle=":", linewidth=1)
        point, source = shown[0].curve.point, PROVENANCES[shown[0].curve.point.kind].source
        ends = (0.0, 1.0) if many else (shown[0].densities.low, shown[0].densities.high)
        where = ", over the range of each system" if many else ""
        for panel, label, title in (
            (density, "score", "(a) densities of test scores"),
            (rates, "threshold", f"(b) error rates on test; dotted: threshold from {source}"),
            (wer, "threshold", f"(c) WER on test, alpha {shown[0].alpha:g}"),
        ):
            panel.set(xlim=ends, xlabel=f"{label}{where}", title=title)
            panel.set_ylim(bottom=0)
            if many or panel is not wer:
                legend_below(panel)
        density.set_ylabel("density, highest = 1" if many else "density")
        in_percent(rates.yaxis, "error rate")
        in_percent(wer.yaxis, "WER")
        det_plot([one.curve for one in shown], ax=det)
        det.set_title(
            f"(d) DET on test; point: threshold from {source},\n"
            f"{level_text(point.confidence)} intervals, {GIVEN[point.interval_threshold]}"
        )
        return density, rates, wer, det


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
        """Give points around the mean at this many standard deviations in every direction, one row per point."""
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
    """Sample trials of each class without replacement, and fit a Gaussian to all of a class.

    Parameters
    ----------
    trials : Trials or data frame
        Trials, or a data frame of them.
    a, b : str
        The names of the two systems.
    points : int, default 500
        The largest number of trials of each class.
    rng : numpy.random.Generator, int or None, default 0
        A generator, or a seed; the same seed gives the same result. The figure states it.

    Returns
    -------
    Scatter
        The trials that were drawn, and the Gaussians.

    Raises
    ------
    TrialsError
        If a system is unknown, or a class has no trials with finite scores.

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
        raise ParameterError(f"there must be at least one point per class, not {points}", code="points")
    seed = seed_of(rng)
    trials = trials_of(trials, "trials")
    scores = np.stack([trials.column(name).astype(np.float64) for name in (a, b)], axis=1)
    finite = np.isfinite(scores).all(axis=1)
    generator = np.random.default_rng(seed)
    classes = []
    for rows in (trials.genuine, ~trials.genuine):
        values = scores[rows & finite]
        if not len(values):
            text = "there is no trial of one class with finite scores of both systems"
            raise TrialsError(text, code="no-finite-scores")
        check_drawable(values)
        chosen = np.sort(generator.choice(len(values), min(points, len(values)), replace=False))
        with np.errstate(over="ignore", invalid="ignore"):
            covariance = np.cov(values, rowvar=False, bias=True)
        if not np.isfinite(covariance).all():
            raise TrialsError("the scores are too large to fit a Gaussian to; scale them down", code="scores-too-large")
        classes.append(ScatteredClass(values[chosen], len(values), values.mean(axis=0), covariance))
    return Scatter(a, b, classes[0], classes[1], seed, int(np.count_nonzero(~finite)))


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
    with axes_for(ax, "scatter") as own:
        # the larger class first, so that it does not hide the other
        classes = ((1, "impostor", data.impostor), (0, "genuine", data.genuine))
        for number, name, part in classes:
            label = f"{name}: {len(part.points):,} of {part.trials:,}"
            style: dict[str, Any] = {"markersize": 3, "alpha": 0.45, "markeredgewidth": 0, "label": label}
            own.plot(*part.points.T, look(number).marker, color=look(number).colour, **style)
        for number, _, part in classes:
            for deviations, line in ((1, "-"), (2, "--")):
                own.plot(*part.ellipse(deviations).T, color="white", linewidth=3)
                own.plot(*part.ellipse(deviations).T, color=look(number).colour, linestyle=line, linewidth=1.8)
        given = thresholds or {}
        if np.isfinite(given.get(data.a, np.nan)):
            own.axvline(given[data.a], color=GREY, linestyle=":", label="thresholds from dev")
        if np.isfinite(given.get(data.b, np.nan)):
            own.axhline(given[data.b], color=GREY, linestyle=":")
        own.set(xlabel=f"score of {legible(data.a)}", ylabel=f"score of {legible(data.b)}")
        lost = f"; {data.left_out:,} trials with infinite scores left out" if data.left_out else ""
        own.set_title(
            f"a random subsample of each class (seed {data.seed}){lost}\n"
            "ellipses: Gaussian of all trials of the class, 1 and 2 standard deviations"
        )
        legend_below(own, markerscale=2)
        return own


_MANY = 12
"""Systems beyond which numbers would not fit into their squares."""


def correlation_plot(correlations: SystemCorrelations, *, figure: Canvas | None = None) -> Canvas:
    """Draw the correlations of systems as two maps, one per class of trials.

    Parameters
    ----------
    correlations : SystemCorrelations
        What `system_correlations` gives.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.figure.Figure or SubFigure
        The figure, with one panel for genuine and one for impostor trials.

    References
    ----------
    Poh & Bengio, Database, protocols and tools for evaluating score-level fusion, 2006, section 5: Gaussian fits of
    each class, of which Fig. 2 shows two systems.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> len(correlation_plot(ft.fusion.system_correlations(test)).axes) >= 2
    True
    """
    count = len(correlations.systems)
    names = [legible(name) for name in correlations.systems]
    with figure_for(figure, "correlation", (2.6 + 0.9 * count, 1.6 + 0.45 * count)) as own:
        panels = own.subplots(1, 2, sharey=True)
        for ax, word in zip(panels, ("genuine", "impostor"), strict=True):
            part = getattr(correlations, word)
            drawn = ax.imshow(part.correlation, vmin=-1, vmax=1, cmap="RdBu_r")
            ax.set_xticks(range(count), names, rotation=45, ha="right", rotation_mode="anchor")
            ax.set_yticks(range(count), names)
            ax.grid(visible=False)
            ax.set_title(f"within {part.trials:,} {word} trials")
            if count <= _MANY:
                for (row, column), value in np.ndenumerate(part.correlation):
                    colour = "white" if abs(value) > 0.6 else "black"
                    text = "" if np.isnan(value) else f"{round(value, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")
                    ax.text(column, row, text, ha="center", va="center", color=colour, fontsize=7.5)
        bar = own.colorbar(drawn, ax=list(panels), shrink=0.8)
        bar.set_label("correlation")
        return own


def bootstrap_plot(
    pair: PairComparison,
    *,
    measure: str = "HTER",
    method: BootstrapMethod | None = None,
    bins: int = 40,
    ax: Axes | None = None,
) -> Axes:
    """Draw the replicates of the difference A - B, the bounds of its interval, the estimate and zero.

    Parameters
    ----------
    pair : PairComparison
        One of the pairs of `compare`.
    measure : str, default "HTER"
        What is compared, for the axis.
    method : {"percentile", "centred", "bc", "bca"}, optional
        How the interval is made of the replicates; ``centred`` is the paper's, and the default where people were
        resampled, whose replicates have no other. Where trials were, the default is ``percentile``.
    bins : int, default 40
        How many bars.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ParameterError
        If the method is unknown, or percentile where people were resampled.

    References
    ----------
    Bengio, Mariéthoz & Keller, The Expected Performance Curve, 2005, Fig. 6.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(400) < 100
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 400, 2)) for start in (0, 1))
    >>> pair = ft.compare(dev, test, n_resamples=200).pairs[0]
    >>> bootstrap_plot(pair).get_xlabel()
    'HTER of old minus HTER of new (%)'
    """
    replicates, test = pair.replicates, pair.headline
    if replicates is None:
        raise TrialsError("there is no bootstrap of counts; compare the scores themselves", code="needs-scores")
    method = method or replicates.method
    low, high = replicates.interval(confidence=pair.confidence, method=method)
    count = len(replicates.replicates)
    with axes_for(ax, "bootstrap") as own:
        weights = np.full(count, 1 / count)
        own.hist(replicates.replicates, bins=bins, weights=weights, color=PALE, edgecolor=GREY, linewidth=0.5)
        for number, bound in enumerate((low, high) if replicates.moves else ()):
            label = f"{level_text(pair.confidence)} interval, {method}" if number == 0 else None
            own.axvline(bound, color=look(0).colour, linewidth=2.6, label=label)
        own.axvline(replicates.estimate, color=look(1).colour, linestyle=look(1).line, label="estimate")
        own.axvline(0, color="black", linestyle=":", label="no difference")
        label = term(measure)
        difference = f"{label} of {legible(pair.a)} minus {label} of {legible(pair.b)}"
        if test.is_share:
            in_percent(own.xaxis, difference)
        else:
            own.set_xlabel(difference)
        in_percent(own.yaxis, "share of replicates")
        inside = "0 lies within: no difference shown" if low <= 0 <= high else "0 lies outside: they differ"
        own.set_title(
            f"{count:,} bootstrap replicates on test\n"
            f"{inside if replicates.moves else 'all are equal: they tell nothing of chance'}, {GIVEN_ALONG['fixed']}\n"
            f"{test.test} test, {GIVEN_ALONG[test.threshold]}: {p_phrase(test.p_value)}"
        )
        legend_below(own)
        return own
