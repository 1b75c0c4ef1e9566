"""Draw scores: diagnostic, scatter, correlation, bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from fairtrial.core.errors import ParameterError, TrialsError, check_choice, check_number
from fairtrial.core.trials import Trials, TrialsLike, check_drawable, trials_of
from fairtrial.core.words import Text, cut, level_text, listed, p_phrase, term
from fairtrial.evaluation.roc import roc_curve
from fairtrial.figures.det import OperatingCurve, det_plot, operating_curves
from fairtrial.figures.style import (
    GREY,
    PALE,
    Floats,
    axes_for,
    explain,
    figure_for,
    in_percent,
    legend_below,
    legible,
    linear_axis,
    look,
    padded,
    score_range,
    several,
)
from fairtrial.inference.bootstrap import BootstrapMethod
from fairtrial.inference.decide import wrong_decisions
from fairtrial.inference.estimates import GIVEN_ALONG
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import PROVENANCES, seed_of
from fairtrial.rules.criteria import CriterionLike, as_criterion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairtrial.evaluation.comparison import PairComparison
    from fairtrial.figures.style import Canvas
    from fairtrial.fusion.prediction import SystemCorrelations


_TAIL = 0.001
"""The proportion of a class at either end that does not stretch the axis of scores."""
_ROOM = 0.05
_SAMPLED = 1_000_000
"""Scores from which the ends of the axis are estimated."""
_POINTS = 2000
_SATURATED = 8
"""The highest bin of saturated scores over the upper quartile of all bins."""


@dataclass(frozen=True, slots=True, eq=False)
class Densities:
    """Histograms of both classes on the same bins of equal width, each of area 1 but for outliers."""

    low: float
    high: float
    """Where the first bin begins, and the last one ends."""
    genuine: Floats
    impostor: Floats

    @property
    def saturated(self) -> bool:
        """Whether a few bins are so high that they would hide all others on a linear axis."""
        heights = np.concatenate([self.genuine, self.impostor])
        heights = heights[heights > 0]
        return bool(len(heights) and heights.max() > _SATURATED * np.quantile(heights, 0.75))

    @property
    def edges(self) -> Floats:
        """Where bins begin and end."""
        return np.linspace(self.low, self.high, len(self.genuine) + 1)

    @property
    def mirrored(self) -> Densities:
        """The same of scores with the other sign."""
        return Densities(-self.high, -self.low, self.genuine[::-1], self.impostor[::-1])

    def to_dict(self) -> dict[str, Any]:
        """Give the chart `density`."""
        return {
            "genuine": self.genuine.tolist(),
            "impostor": self.impostor.tolist(),
            "saturated": self.saturated,
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
        ends = (0.0, 1.0) if many else (shown[0].densities.low, shown[0].densities.high)
        where = ", over the range of each system" if many else ""
        for panel, label, title in (
            (density, "score", "(a) densities of scores"),
            (rates, "threshold", "(b) error rates"),
            (wer, "threshold", f"(c) WER, alpha {shown[0].alpha:g}"),
        ):
            panel.set(xlim=ends, xlabel=f"{label}{where}", title=title, ylim=(0, None))
            panel.locator_params(axis="x", nbins=6)
            if many or panel is not wer:
                legend_below(panel)
        density.set_ylabel("density, highest = 1" if many else "density")
        if not many and shown[0].densities.saturated:
            heights = np.concatenate([shown[0].densities.genuine, shown[0].densities.impostor])
            density.set_ylim(0.5 * float(heights[heights > 0].min()), 2 * float(heights.max()))
            density.set_yscale("log")
        in_percent(rates.yaxis, "error rate on test")
        in_percent(wer.yaxis, "WER on test")
        det_plot([one.curve for one in shown], ax=det)
        det.set_title("(d) DET")
        return density, rates, wer, det


def diagnostic_caption(diagnostics: Diagnostic | Sequence[Diagnostic]) -> str:
    """Say what the four panels show."""
    point = several(diagnostics, "system")[0].curve.point
    return f"Scores and errors on test; dotted: threshold from {PROVENANCES[point.kind].source}. {point.described}"


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
    trials: TrialsLike, a: str, b: str, *, points: int | str = 500, rng: np.random.Generator | int | None = 0
) -> Scatter:
    """Sample trials of each class without replacement, and fit a Gaussian to all of a class.

    Parameters
    ----------
    trials : Trials or data frame
        Trials, or a data frame of them.
    a, b : str
        The names of the two systems.
    points : int or str, default 500
        The largest number of trials of each class, or a proportion of them, as in ``"1%"``.
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
    proportion, most = 1.0, points
    if isinstance(points, str):
        number, percents, rest = points.strip().partition("%")
        try:
            most = trials_of(trials, "trials").genuine.size if percents else int(number)
            proportion = float(number) / 100 if percents else 1.0
        except ValueError:
            proportion = 0.0
        if rest or not 0 < proportion <= 1:
            text = 'points must be a number or a proportion such as "1%", not {given!r}'
            raise ParameterError(text, code="points", given=points)
    if int(most) < 1:
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
        count = min(int(most), max(1, round(proportion * len(values))))
        chosen = np.sort(generator.choice(len(values), count, replace=False))
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
        for deviations, line in ((1, "-"), (2, "--")):
            explain(own, f"Gaussian, {deviations} s.d.", linestyle=line, linewidth=1.8)
        legend_below(own, markerscale=2)
        return own


def scatter_caption(data: Scatter, *, thresholds: Mapping[str, float] | None = None) -> str:
    """Say what a scatter plot shows."""
    lost = f"; {data.left_out:,} trials with infinite scores left out" if data.left_out else ""
    return (
        f"Scores of {data.a} and {data.b}: a random sample of each class (seed {data.seed}){lost}. Ellipses: the "
        "Gaussian of all trials of the class, at 1 and 2 standard deviations."
    )


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
    names = [legible(name) for name in correlations.systems]
    count = len(names) - 1
    with figure_for(figure, "correlation", (2.6 + 0.9 * count, 1.6 + 0.45 * count)) as own:
        panels = own.subplots(1, 2, sharey=True)
        for ax, word in zip(panels, ("genuine", "impostor"), strict=True):
            part = getattr(correlations, word)
            # each pair once: the lower triangle, without the diagonal
            values = np.ma.masked_array(part.correlation, np.triu(np.ones_like(part.correlation, dtype=bool)))[1:, :-1]
            drawn = ax.imshow(values, vmin=-1, vmax=1, cmap="RdBu_r")
            ax.set_xticks(range(count), names[:-1], rotation=45, ha="right", rotation_mode="anchor")
            ax.set_yticks(range(count), names[1:])
            ax.grid(visible=False)
            ax.set_title(f"{part.trials:,} {word} trials")
            for row, column in zip(*np.tril_indices(count), strict=True) if count < _MANY else ():
                value = float(values[row, column])
                colour = "white" if abs(value) > 0.6 else "black"
                text = "" if np.isnan(value) else f"{round(value, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")
                ax.text(column, row, text, ha="center", va="center", color=colour, fontsize=8)
        bar = own.colorbar(drawn, ax=list(panels), shrink=0.8)
        bar.set_label("correlation")
        return own


def correlation_caption(correlations: SystemCorrelations) -> str:
    """Say what the two maps show."""
    return "Correlations of the scores of systems, within genuine and within impostor trials."


def bootstrap_plot(
    pair: PairComparison,
    *,
    measure: str = "HTER",
    method: BootstrapMethod = "percentile",
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
    method : {"percentile", "centred", "bc", "bca"}, default "percentile"
        How the interval is made of the replicates; ``centred`` is the paper's.
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
        If the method is unknown.

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
    'HTER of old minus HTER of new, percentage points'
    """
    replicates, test = pair.replicates, pair.headline
    if replicates is None:
        raise TrialsError("there is no bootstrap of counts; compare the scores themselves", code="needs-scores")
    low, high = replicates.interval(confidence=pair.confidence, method=method)
    count = len(replicates.replicates)
    with axes_for(ax, "bootstrap") as own:
        weights = np.full(count, 1 / count)
        own.hist(replicates.replicates, bins=bins, weights=weights, color=PALE, edgecolor=GREY, linewidth=0.5)
        for number, bound in enumerate((low, high) if replicates.moves else ()):
            label = f"{level_text(pair.confidence)} interval, {method}" if number == 0 else None
            own.axvline(bound, color=look(0).colour, linewidth=1.4, label=label)
        if replicates.moves:
            own.axvspan(low, high, color=look(0).colour, alpha=0.08, linewidth=0, zorder=0)
        own.axvline(replicates.estimate, color=look(1).colour, linestyle=look(1).line, label="estimate")
        own.axvline(0, color="black", linestyle=":", label="no difference")
        label = term(measure)
        difference = f"{label} of {legible(pair.a)} minus {label} of {legible(pair.b)}"
        if test.is_share:
            in_percent(own.xaxis, difference)
            difference = f"{difference}, percentage points"
        own.set_xlabel(difference)
        in_percent(own.yaxis, "replicates")
        legend_below(own)
        return own


def bootstrap_caption(
    pair: PairComparison, *, measure: str = "HTER", method: BootstrapMethod = "percentile", bins: int = 40
) -> str:
    """Say what the histogram shows, and what the primary test says."""
    replicates, test = pair.replicates, pair.headline
    assert replicates is not None
    low, high = replicates.interval(confidence=pair.confidence, method=method)
    inside = "0 lies within the interval: no difference is shown" if low <= 0 <= high else "0 lies outside the interval"
    return (
        f"{len(replicates.replicates):,} bootstrap replicates on test, {GIVEN_ALONG['fixed']}. "
        f"{inside if replicates.moves else 'All are equal, so nothing can be tested'}. "
        f"{test.test.capitalize()} test, {GIVEN_ALONG[test.threshold]}: {p_phrase(test.p_value)}."
    )


Person: TypeAlias = Literal["claim", "subject"]
Shown: TypeAlias = Literal["scores", "errors"]

_FENCE = 1.5
_RISK = 0.05
_LABELS = 4
_SIZE = 7.0
"""Of names, in points."""
_SIDES = ((1, 1), (-1, 1), (1, -1), (-1, -1))
"""Of a point, where its name may be: across and up."""
_IMPOSTOR_TRIALS = {"claim": "against the claim", "subject": "by the subject"}


@dataclass(frozen=True, slots=True, eq=False)
class Zoo:
    """One entry per person: what their genuine trials look like, and the impostor trials they take part in."""

    system: str
    by: Person
    shows: Shown
    names: tuple[str, ...]
    genuine: Floats
    """Mean scores, or the FRR; NaN for subjects without genuine trials."""
    impostor: Floats
    """Mean scores, or the FAR."""
    goats: NDArray[np.bool_]
    lambs: NDArray[np.bool_]
    """Lambs by claim, wolves by subject."""
    left_out: int
    """People without the trials that it takes."""
    subjects: Zoo | None = None
    """The zoo by subject beside one by claim, if subjects are known."""

    @property
    def places(self) -> Floats:
        """Where people stand across: by their genuine trials, or by rank if nobody has any."""
        if np.isnan(self.genuine).all():
            return np.argsort(np.argsort(self.impostor)).astype(np.float64) + 1
        return self.genuine

    @property
    def imitation(self) -> tuple[str, str]:
        """Those who stand out by impostor trials, one and several."""
        return ("lamb", "lambs") if self.by == "claim" else ("wolf", "wolves")

    @property
    def kinds(self) -> list[str]:
        """What each person stands out as, nothing for sheep."""
        both = zip(self.goats.tolist(), self.lambs.tolist(), strict=True)
        return [" and ".join(["goat"] * goat + [self.imitation[0]] * lamb) for goat, lamb in both]

    @property
    def labels(self) -> tuple[str, str]:
        """What genuine and impostor trials are shown by, in words."""
        who, rates = _IMPOSTOR_TRIALS[self.by], self.shows == "errors"
        up = str(Text("{FAR} of impostor trials {who}", who=who)) if rates else f"mean score of impostor trials {who}"
        if np.isnan(self.genuine).all():
            return "subjects by rank; nobody has genuine trials", up
        return str(Text("{FRR} of genuine trials")) if rates else "mean score of genuine trials", up

    def to_dict(self) -> dict[str, Any]:
        """Give the chart `zoo`."""
        other, ranked = self.imitation[0], np.isnan(self.genuine).all()
        across, up = (
            linear_axis(
                label,
                padded(score_range(float(np.nanmin(values)), float(np.nanmax(values))), room=0.05),
                percent=self.shows == "errors" and not (ranked and values is not self.impostor),
            )
            for label, values in zip(self.labels, (self.places, self.impostor), strict=True)
        )
        x = np.nan_to_num(self.places, nan=across.high)  # at the edge without genuine trials
        points = zip(x.tolist(), self.impostor.tolist(), self.names, self.kinds, strict=True)
        both = f"goat and {other}"
        kinds = ("sheep", GREY, 0), ("goat", "var(--c1)", 2), (other, "var(--c0)", 0), (both, "var(--c2)", 1)
        return {
            "x": across.to_dict(),
            "y": up.to_dict(),
            "points": [{"x": x, "y": y, "name": name, "kind": kind or "sheep"} for x, y, name, kind in points],
            "kinds": [{"name": name, "colour": colour, "symbol": symbol} for name, colour, symbol in kinds],
        }


def zoo_data(
    trials: TrialsLike,
    *,
    system: str | None = None,
    by: Person = "claim",
    shows: Shown = "scores",
    threshold: float | Floats | None = None,
) -> Zoo:
    """Find what the trials of each person look like, and who stands out.

    Parameters
    ----------
    trials : Trials or data frame
        Trials, or a data frame of them, with ids.
    system : str, optional
        The name of the system; not needed where there is only one.
    by : {"claim", "subject"}, default "claim"
        ``claim``: impostor trials against a person's claim, so lambs stand out; ``subject``: those that the person
        makes, so wolves do.
    shows : {"scores", "errors"}, default "scores"
        ``scores``: means. A goat's genuine mean is more than 1.5 interquartile ranges below the lower quartile of all,
        a lamb's impostor mean as far above the upper one. ``errors``: rates at the threshold. A goat or a lamb has more
        errors than the worst of all people would have by chance in 1 of 20 cases.
    threshold : float or array of float, optional
        The threshold from dev, for errors, or one per trial; a score above it is accepted.

    Returns
    -------
    Zoo
        One entry per person, and who stands out. Subjects may have impostor trials only.

    Raises
    ------
    TrialsError
        If there are no such ids, or fewer than 4 people.
    ParameterError
        If errors are to be shown without a threshold.

    References
    ----------
    Doddington et al., Sheep, goats, lambs and wolves, 1998; Yager & Dunstone, The biometric menagerie, 2010.

    Examples
    --------
    >>> from fairtrial import Trials
    >>> claim = ["a", "a", "b", "b", "c", "c", "d", "d"]
    >>> trials = Trials.from_arrays([0.9, 0.2, 0.8, 0.1, 0.7, 0.3, 0.6, 0.4], [True, False] * 4, claim=claim)
    >>> zoo_data(trials).by
    'claim'
    """
    for value, kind, name in ((by, Person, "by"), (shows, Shown, "shows")):
        check_choice(name, value, get_args(kind))
    trials = trials_of(trials, "trials")
    if by not in trials.ids:
        raise TrialsError(f"the zoo needs {by} ids, which these trials do not have", code="no-ids")
    if shows == "errors" and threshold is None:
        raise ParameterError("errors need a threshold; choose one on dev", code="no-threshold")
    subjects = None
    if by == "claim" and "subject" in trials.ids:
        others = trials.ids["subject"].numbered().codes[~trials.genuine]
        if len(np.unique(others)) >= 4:
            subjects = zoo_data(trials, system=system, by="subject", shows=shows, threshold=threshold)
    ids = trials.ids[by].numbered()
    values = trials.column(system).astype(np.float64)
    if threshold is not None and shows == "errors":
        values = wrong_decisions(trials, system, threshold).astype(np.float64)
    finite = np.isfinite(values)
    check_drawable(values[finite])
    totals, counts = [], []
    for rows in (trials.genuine & finite, ~trials.genuine & finite):
        totals.append(np.bincount(ids.codes[rows], values[rows], len(ids.names)).astype(np.float64))
        counts.append(np.bincount(ids.codes[rows], minlength=len(ids.names)))
    kept = (counts[1] > 0) & ((counts[0] > 0) | (by == "subject"))
    if np.count_nonzero(kept) < 4:
        needed = "genuine and impostor trials" if by == "claim" else "impostor trials"
        raise TrialsError(f"the zoo needs at least 4 {by}s with {needed}", code="few-people")
    totals, numbers = [total[kept] for total in totals], [count[kept] for count in counts]
    with np.errstate(invalid="ignore"):
        genuine, impostor = (total / number for total, number in zip(totals, numbers, strict=True))
    if shows == "scores":
        goats, lambs = (_beyond_fence(values) for values in (-genuine, impostor))
    else:
        goats, lambs = (improbable(total, number) for total, number in zip(totals, numbers, strict=True))
    return Zoo(
        trials.systems[0] if system is None else system,
        by,
        shows,
        tuple(str(name) for name in ids.names[kept]),
        genuine,
        impostor,
        goats,
        lambs,
        int(np.count_nonzero((counts[0] > 0) | (counts[1] > 0)) - np.count_nonzero(kept)),
        subjects,
    )


def _beyond_fence(values: Floats) -> NDArray[np.bool_]:
    """Find values above Tukey's upper fence."""
    if np.isnan(values).all():
        return np.zeros(len(values), dtype=bool)
    low, high = np.nanquantile(values, [0.25, 0.75])
    return np.asarray(values > high + _FENCE * (high - low))


def improbable(errors: Floats, trials: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find people with more errors than the common rate explains, with Bonferroni's correction."""
    rate = float(errors.sum() / max(trials.sum(), 1))
    if not 0 < rate < 1:
        return np.zeros(len(errors), dtype=bool)
    return np.asarray(bdtrc(errors.round() - 1, trials, rate) < _RISK / np.count_nonzero(trials))


def zoo_plot(zoo: Zoo, *, ax: Axes | None = None) -> Axes:
    """Draw every person by their genuine and impostor trials, and name those who stand out.

    Parameters
    ----------
    zoo : Zoo
        What `zoo_data` gives. Beside claims, the right margin has the impostor trials of every subject.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    Doddington et al., Sheep, goats, lambs and wolves, 1998; Yager & Dunstone, The biometric menagerie, 2010.

    Examples
    --------
    >>> from fairtrial import Trials
    >>> claim = ["a", "a", "b", "b", "c", "c", "d", "d"]
    >>> trials = Trials.from_arrays([0.9, 0.2, 0.8, 0.1, 0.7, 0.3, 0.6, 0.4], [True, False] * 4, claim=claim)
    >>> zoo_plot(zoo_data(trials)).get_xlabel()
    'mean score of genuine trials'
    """
    other, across, unplaced = zoo.imitation[1], zoo.places, np.isnan(zoo.places)
    with axes_for(ax, "zoo") as own:
        plain = ~zoo.goats & ~zoo.lambs & ~unplaced
        places, people = np.unique(np.stack([across, zoo.impostor], 1)[plain], axis=0, return_counts=True)
        own.scatter(places[:, 0], places[:, 1], s=16.0 * people, color=GREY, alpha=0.55, linewidths=0)
        for number, chosen, name in (
            (1, zoo.goats & ~zoo.lambs, "goats"),
            (0, zoo.lambs & ~zoo.goats, other),
            (2, zoo.goats & zoo.lambs, "both"),
        ):
            if chosen.any() or name != "both":
                style: dict[str, Any] = {"markersize": 6, "label": f"{name}: {np.count_nonzero(chosen)}"}
                drawn = look(number)
                own.plot(across[chosen], zoo.impostor[chosen], drawn.marker, color=drawn.colour, **style)
        margin, flags = (zoo.impostor[unplaced], zoo.lambs[unplaced])
        if zoo.subjects is not None:
            margin, flags = zoo.subjects.impostor, zoo.subjects.lambs
            explain(own, f"wolves, by subject: {np.count_nonzero(flags)}", color=look(3).colour, marker="_")
        for chosen, colour, width in ((~flags, GREY, 0.8), (flags, look(3).colour, 1.8)):
            ticks: dict[str, Any] = {"markersize": 9, "markeredgewidth": width, "clip_on": False}
            ends = np.full(np.count_nonzero(chosen), 1.03)
            own.plot(ends, margin[chosen], "_", color=colour, transform=own.get_yaxis_transform(), **ticks)
        if zoo.shows == "scores":
            for values, draw in ((zoo.genuine, own.axvline), (zoo.impostor, own.axhline)):
                for quartile in () if np.isnan(values).all() else np.nanquantile(values, [0.25, 0.75]):
                    draw(quartile, color=GREY, linestyle=":", linewidth=0.9)
            explain(own, "quartiles", linestyle=":", linewidth=0.9)
        _name_outliers(own, zoo)
        for axis, label in zip((own.xaxis, own.yaxis), zoo.labels, strict=True):
            if zoo.shows == "errors" and "rank" not in label:
                in_percent(axis, label)
            else:
                axis.set_label_text(label)
        legend_below(own)
        return own


def zoo_caption(zoo: Zoo) -> str:
    """Say what the zoo shows, and what makes somebody stand out."""
    needed = "trials of both classes" if zoo.by == "claim" else "impostor trials"
    lost = f"; {zoo.left_out:,} without {needed} left out" if zoo.left_out else ""
    rule = "more errors than chance explains; larger dots: several people"
    if zoo.shows == "scores":
        rule = "beyond Tukey's fences; dotted: quartiles"
    parts = [
        f"The zoo of {zoo.system} on test: {len(zoo.names):,} {zoo.by}s{lost}. Goats and {zoo.imitation[1]}: {rule}",
        f"Impostor trials are those {_IMPOSTOR_TRIALS[zoo.by]}",
    ]
    if zoo.subjects is not None:
        wolves = listed([name for name, wolf in zip(zoo.subjects.names, zoo.subjects.lambs, strict=True) if wolf])
        parts.append(f"Right margin: impostor trials by subject; wolves, who imitate others: {wolves or 'none'}")
    elif zoo.by == "subject":
        parts.append("Right margin: subjects without genuine trials" * bool(np.isnan(zoo.places).any()))
    return ". ".join(filter(None, parts)) + "."


def _name_outliers(ax: Axes, zoo: Zoo) -> None:
    """Name the worst goats and lambs within the axes, without hiding other names or those who stand out.

    A name that finds no such place is left out, but for the first of all.
    """
    from matplotlib.transforms import Bbox

    where, worst = zoo.places, zoo.genuine if zoo.shows == "errors" else -zoo.genuine
    ranked = []
    for chosen, badness in ((zoo.goats, worst), (zoo.lambs, zoo.impostor)):
        rows = np.flatnonzero(chosen & np.isfinite(where))
        ranked.append(rows[np.argsort(-badness[rows], kind="stable")][:_LABELS].tolist())
    turns = [ranked[k % 2][k // 2] for k in range(2 * _LABELS) if k // 2 < len(ranked[k % 2])]

    def in_points(data: Any) -> Floats:
        return np.asarray(ax.transData.transform(data) * 72 / ax.figure.dpi)

    limits = ax.get_xlim(), ax.get_ylim()  # asking for them makes them final
    inside = Bbox(in_points(np.transpose(limits)))
    places = in_points(np.stack([where, zoo.impostor], 1))
    taken = [Bbox([place - 3, place + 3]) for place in places[zoo.goats | zoo.lambs]]
    for rank, row in enumerate(dict.fromkeys(turns)):
        name, (x, y) = cut(zoo.names[row], 20), places[row].tolist()
        sides = []
        for across, up in _SIDES:  # about where the name will be, a little wider than most fonts make it
            ends = sorted([x + across * 4, x + across * (5 + 0.68 * _SIZE * len(name))])
            heights = sorted([y + up * 3, y + up * (4 + 1.2 * _SIZE)])
            box = Bbox(np.transpose([ends, heights]))
            if all(inside.contains(*corner) for corner in (box.min, box.max)):
                sides.append((across, up, box))
        free = [side for side in sides if not any(side[2].overlaps(other) for other in taken)]
        if not free and (rank or not sides):
            continue
        across, up, box = (free or sides)[0]
        taken.append(box)
        ax.annotate(
            name,
            (float(where[row]), float(zoo.impostor[row])),
            xytext=(5 * across, 4 * up),
            textcoords="offset points",
            fontsize=_SIZE,
            ha="left" if across > 0 else "right",
            va="bottom" if up > 0 else "top",
        )
