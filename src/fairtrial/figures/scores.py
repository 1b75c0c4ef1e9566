"""Draw scores: diagnostic, scatter, correlation, bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrial.core.errors import ParameterError, TrialsError, check_number
from fairtrial.core.trials import Trials, TrialsLike, check_drawable, trials_of
from fairtrial.core.words import level_text, p_phrase, term
from fairtrial.evaluation.roc import roc_curve
from fairtrial.figures.axes import Floats, linear_axis, padded, score_range
from fairtrial.figures.det import OperatingCurve, det_plot, judge_systems, operating_curves
from fairtrial.figures.style import (
    GREY,
    PALE,
    Pen,
    are_distances,
    axes_for,
    figure_for,
    how_chosen,
    legible,
    look,
    several,
)
from fairtrial.figures.table import Drawn
from fairtrial.fusion.prediction import SystemCorrelations, system_correlations
from fairtrial.inference.bootstrap import BootstrapMethod
from fairtrial.inference.estimates import GIVEN_ALONG
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import seed_of
from fairtrial.rules.criteria import CriterionLike, as_criterion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fairtrial.evaluation.comparison import Comparison, PairComparison
    from fairtrial.figures.style import Canvas


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

    def chart(self) -> dict[str, Any]:
        """Give the chart `density`."""
        return {
            "genuine": self.genuine,
            "impostor": self.impostor,
            "saturated": self.saturated,
            "top": 1.05 * float(max(self.genuine.max(), self.impostor.max())) or 1.0,
            "scores": linear_axis("score", (self.low, self.high)),
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
    >>> import fairtrial as ft
    >>> lp1 = ft.benchmark.load_lausanne().sets[0]
    >>> [one.curve.system for one in diagnostics(lp1.dev, lp1.test, systems=["(PAC,GMM)"])]
    ['(PAC,GMM)']
    """
    check_number("bin", bins, most=10_000)
    dev, test = trials_of(dev, "dev"), trials_of(test, "test")
    curves = operating_curves(
        dev, test, systems=systems, criterion=criterion, alpha=alpha, confidence=confidence, cluster=cluster
    )
    weight = as_criterion(criterion).resolve_alpha(alpha) if alpha is None else float(alpha)
    prepared = []
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
        prepared.append(Diagnostic(curve, weight, densities, threshold, far, frr))
    return tuple(prepared)


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
    >>> import fairtrial as ft
    >>> lp1 = ft.benchmark.load_lausanne().sets[0]
    >>> len(diagnostic_plot(diagnostics(lp1.dev, lp1.test, systems=["(PAC,GMM)"])))
    4
    """
    systems = several(diagnostics, "system")
    many, point = len(systems) > 1, systems[0].curve.point
    caption = f"Scores and errors on test; dotted: {point.chosen}. {point.described}"
    turned = are_distances(*(system.curve.system for system in systems))
    with figure_for(figure, "diagnostic", caption) as canvas:
        density, rates, wer, det = canvas.subplots(2, 2).ravel().tolist()
        for number, system in enumerate(systems):
            name, mark = legible(system.curve.system), look(number)
            who = f"{name}, " if many else ""
            first, second = (mark.colour,) * 2 if many else (look(0).colour, look(1).colour)
            low, width = (system.densities.low, system.densities.high - system.densities.low) if many else (0.0, 1.0)
            low += width if many and turned else 0.0
            edges, threshold = (system.densities.edges - low) / width, (system.threshold - low) / width
            for word, values, colour, line in (
                ("genuine", system.densities.genuine, first, "-"),
                ("impostor", system.densities.impostor, second, "--"),
            ):
                heights = values / np.max(values) if many else values
                density.stairs(heights, edges, fill=True, color=colour, alpha=0.15)
                density.stairs(heights, edges, color=colour, linestyle=line, linewidth=1.4, label=f"{who}{word}")
            steps: dict[str, Any] = {"drawstyle": "steps-post"}
            rates.plot(threshold, system.frr, color=first, label=f"{who}{term('FRR')}", **steps)
            rates.plot(threshold, system.far, color=second, linestyle="--", label=f"{who}{term('FAR')}", **steps)
            wer.plot(threshold, system.wer, color=first, linestyle=mark.line, label=name, **steps)
            for panel in (density, rates, wer):
                chosen = (system.curve.point.threshold - low) / width
                panel.axvline(chosen, color=first if many else "black", linestyle=":", linewidth=1)
        whole = (-1.0, 0.0) if turned else (0.0, 1.0)
        ends = whole if many else (systems[0].densities.low, systems[0].densities.high)
        where = ", over the range of each system" if many else ""
        for panel, label, title in (
            (density, "score", "(a) densities of scores"),
            (rates, "threshold", "(b) error rates"),
            (wer, "threshold", f"(c) WER, alpha {systems[0].alpha:g}"),
        ):
            panel.set(xlim=ends, title=title, ylim=(0, None))
            Pen(panel).scores("x", f"{label}{where}", *(system.curve.system for system in systems))
            panel.locator_params(axis="x", nbins=6)
            if many or panel is not wer:
                Pen(panel).legend()
        density.set_ylabel("density, highest = 1" if many else "density")
        if not many and systems[0].densities.saturated:
            heights = np.concatenate([systems[0].densities.genuine, systems[0].densities.impostor])
            density.set_ylim(0.5 * float(heights[heights > 0].min()), 2 * float(heights.max()))
            density.set_yscale("log")
        Pen(rates).rates("y", "error rate on test")
        Pen(wer).rates("y", "WER on test")
        det_plot([system.curve for system in systems], ax=det)
        det.set_title("(d) DET")
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
    >>> import fairtrial as ft
    >>> lp1 = ft.benchmark.load_lausanne().sets[0]
    >>> scatter_data(lp1.test, "(DCTb,MLP)", "(PAC,GMM)").seed
    0
    """
    text = str(points).strip()
    try:
        proportion, most = (float(text[:-1]) / 100, np.inf) if text.endswith("%") else (1.0, int(text))
    except ValueError:
        proportion, most = 0.0, 0
    if not 0 < proportion <= 1 or most < 1:
        text = 'points must be a number from 1 or a proportion such as "1%", not {given!r}'
        raise ParameterError(text, code="points", given=points)
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
        count = int(min(most, max(1, round(proportion * len(values)))))
        chosen = np.sort(generator.choice(len(values), count, replace=False))
        with np.errstate(over="ignore", invalid="ignore"):
            covariance = np.cov(values, rowvar=False, bias=True)
        if not np.isfinite(covariance).all():
            raise TrialsError("the scores are too large to fit a Gaussian to; scale them down", code="scores-too-large")
        classes.append(ScatteredClass(values[chosen], len(values), values.mean(axis=0), covariance))
    return Scatter(a, b, classes[0], classes[1], seed, int(np.count_nonzero(~finite)))


def scatter_plot(
    data: Scatter, *, thresholds: Mapping[str, float] | None = None, chosen: str = "from dev", ax: Axes | None = None
) -> Axes:
    """Draw the scores of two systems, and ellipses at one and two standard deviations of each class.

    Parameters
    ----------
    data : Scatter
        What `scatter_data` gives.
    thresholds : dict of str to float, optional
        The threshold of each system from dev, drawn as lines.
    chosen : str, default "from dev"
        What the legend says of the thresholds, such as "by eer on dev".
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
    >>> import fairtrial as ft
    >>> lp1 = ft.benchmark.load_lausanne().sets[0]
    >>> scatter_plot(scatter_data(lp1.test, "(DCTb,MLP)", "(PAC,GMM)")).get_xlabel()
    'score of (DCTb,MLP)'
    """
    lost = f"; {data.left_out:,} trials with infinite scores left out" if data.left_out else ""
    caption = (
        f"Scores of {data.a} and {data.b}: a random sample of each class (seed {data.seed}){lost}. Ellipses: the "
        "Gaussian of all trials of the class, at 1 and 2 standard deviations."
    )
    with axes_for(ax, "scatter", caption, markerscale=2) as (axes, pen):
        # the larger class first, so that it does not hide the other
        classes = ((1, "impostor", data.impostor), (0, "genuine", data.genuine))
        for number, name, part in classes:
            label = f"{name}: {len(part.points):,} of {part.trials:,}"
            style: dict[str, Any] = {"markersize": 3, "alpha": 0.45, "markeredgewidth": 0, "label": label}
            axes.plot(*part.points.T, look(number).marker, color=look(number).colour, **style)
        for number, _, part in classes:
            for deviations, line in ((1, "-"), (2, "--")):
                axes.plot(*part.ellipse(deviations).T, color="white", linewidth=3)
                axes.plot(*part.ellipse(deviations).T, color=look(number).colour, linestyle=line, linewidth=1.8)
        across, up = ((thresholds or {}).get(name, np.nan) for name in (data.a, data.b))
        if np.isfinite(across):
            axes.axvline(across, color=GREY, linestyle=":", label=f"thresholds {chosen}")
        if np.isfinite(up):
            axes.axhline(up, color=GREY, linestyle=":")
        pen.scores("x", f"score of {legible(data.a)}", data.a)
        pen.scores("y", f"score of {legible(data.b)}", data.b)
        for deviations, line in ((1, "-"), (2, "--")):
            pen.explain(f"Gaussian, {deviations} s.d.", linestyle=line, linewidth=1.8)
        return axes


def scatter_sets(
    dev: Trials,
    test: Trials,
    *,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    points: str | int = 500,
    rng: np.random.Generator | int | None = 0,
) -> Drawn:
    """Choose trials of two systems to draw against each other, with thresholds from dev.

    Parameters
    ----------
    points : int or str, default 500
        The largest number of trials of each class, or a proportion of them, as in 1%.
    """
    a, b = dev.systems
    data = scatter_data(test, a, b, points=points, rng=rng)
    judged = judge_systems(dev, test, (), None, criterion, alpha, None)
    thresholds = {judgement.system: float(judgement.at(0).threshold) for judgement in judged}
    chosen = how_chosen(judged[0].kind, judged[0].criterion).removeprefix("threshold ")
    return Drawn((data,), {"thresholds": thresholds, "chosen": chosen}, (*dev.notes, *test.notes))


_MANY = 12
"""Systems beyond which numbers would not fit into their squares."""


def dev_correlations(dev: Trials, test: Trials | None = None) -> Drawn:
    """Correlate systems within each class of the trials of dev, and of test if it is given, too."""
    trials = dev if test is None else test
    return Drawn((system_correlations(trials),), {}, tuple(trials.notes))


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
    >>> import fairtrial as ft
    >>> lp1 = ft.benchmark.load_lausanne().sets[0]
    >>> len(correlation_plot(ft.fusion.system_correlations(lp1.dev)).axes) >= 2
    True
    """
    names = [legible(name) for name in correlations.systems]
    count = len(names) - 1
    caption = "Correlations of the scores of systems, within genuine and within impostor trials."
    with figure_for(figure, "correlation", caption, (2.6 + 0.9 * count, 1.6 + 0.45 * count)) as canvas:
        panels = canvas.subplots(1, 2, sharey=True)
        for ax, word in zip(panels, ("genuine", "impostor"), strict=True):
            part = getattr(correlations, word)
            # each pair once: the lower triangle, without the diagonal
            values = np.ma.masked_array(part.correlation, np.triu(np.ones_like(part.correlation, dtype=bool)))[1:, :-1]
            image = ax.imshow(values, vmin=-1, vmax=1, cmap="RdBu_r")
            ax.set_xticks(range(count), names[:-1], rotation=45, ha="right", rotation_mode="anchor")
            ax.set_yticks(range(count), names[1:])
            ax.grid(visible=False)
            ax.set_title(f"{part.trials:,} {word} trials")
            for row, column in zip(*np.tril_indices(count), strict=True) if count < _MANY else ():
                value = float(values[row, column])
                colour = "white" if abs(value) > 0.6 else "black"
                text = "" if np.isnan(value) else f"{round(value, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")
                ax.text(column, row, text, ha="center", va="center", color=colour, fontsize=8)
        bar = canvas.colorbar(image, ax=list(panels), shrink=0.8)
        bar.set_label("correlation")
        return canvas


def leading_pair(result: Comparison) -> Drawn:
    """Give the only pair of a comparison."""
    if len(result.pairs) > 1:
        pair = result.pairs[0]
        text = "the figure is of one pair, as in result[{a!r}, {b!r}].plot()"
        raise ParameterError(text, code="several-pairs", a=pair.a, b=pair.b)
    return Drawn(result.pairs, {}, tuple(result.notes))


def bootstrap_plot(
    pair: PairComparison,
    *,
    method: BootstrapMethod = "percentile",
    bins: int = 40,
    ax: Axes | None = None,
) -> Axes:
    """Draw the replicates of the difference A - B, the bounds of its interval, the estimate and zero.

    Parameters
    ----------
    pair : PairComparison
        One of the pairs of `compare`.
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
    >>> import fairtrial as ft
    >>> lp1 = ft.benchmark.load_lausanne().sets[0]
    >>> pair = ft.compare(lp1.dev, lp1.test, systems=["(DCTb,MLP)", "(PAC,GMM)"], n_resamples=200).pairs[0]
    >>> bootstrap_plot(pair).get_xlabel()
    'HTER of (DCTb,MLP) minus HTER of (PAC,GMM), percentage points'
    """
    replicates, test = pair.replicates, pair.headline
    if replicates is None:
        raise TrialsError("there is no bootstrap of counts; compare the scores themselves", code="needs-scores")
    low, high = replicates.interval(confidence=pair.confidence, method=method)
    count = len(replicates.replicates)
    inside = "0 lies within the interval: no difference is shown" if low <= 0 <= high else "0 lies outside the interval"
    caption = (
        f"{count:,} bootstrap replicates on test, {GIVEN_ALONG['fixed']}. "
        f"{inside if replicates.moves else 'All are equal, so nothing can be tested'}. "
        f"{test.test.capitalize()} test, {GIVEN_ALONG[test.threshold]}: {p_phrase(test.p_value)}."
    )
    with axes_for(ax, "bootstrap", caption) as (axes, pen):
        weights = np.full(count, 1 / count)
        axes.hist(replicates.replicates, bins=bins, weights=weights, color=PALE, edgecolor=GREY, linewidth=0.5)
        for number, bound in enumerate((low, high) if replicates.moves else ()):
            label = f"{level_text(pair.confidence)} interval, {method}" if number == 0 else None
            axes.axvline(bound, color=look(0).colour, linewidth=1.4, label=label)
        if replicates.moves:
            axes.axvspan(low, high, color=look(0).colour, alpha=0.08, linewidth=0, zorder=0)
        axes.axvline(replicates.estimate, color=look(1).colour, linestyle=look(1).line, label="estimate")
        axes.axvline(0, color="black", linestyle=":", label="no difference")
        label = term(test.label)
        difference = f"{label} of {legible(pair.a)} minus {label} of {legible(pair.b)}"
        if test.is_share:
            pen.rates("x", difference)
            difference = f"{difference}, percentage points"
        axes.set_xlabel(difference)
        pen.rates("y", "replicates")
        return axes
