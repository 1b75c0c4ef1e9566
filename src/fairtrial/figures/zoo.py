"""Draw Doddington's zoo, and give it to pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrial.core.trials import Trials
from fairtrial.core.words import Text, cut, listed
from fairtrial.figures.axes import Floats, linear_axis, padded, score_range
from fairtrial.figures.det import judge_systems, only_system
from fairtrial.figures.style import GREY, axes_for, look, sentences
from fairtrial.figures.table import Drawn
from fairtrial.groups.zoo import Role, Shows, Zoo
from fairtrial.groups.zoo import zoo_data as zoo_data
from fairtrial.rules.criteria import CriterionLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LABELS = 4
"""Goats and lambs that are named, at most."""
_SIZE = 7.0
"""Of names, in points."""
_SIDES = ((1, 1), (-1, 1), (1, -1), (-1, -1))
"""Of a point, where its name may be: across and up."""
_IMPOSTOR_TRIALS = {"claim": "against the claim", "subject": "by the subject"}


def _labels(zoo: Zoo) -> tuple[str, str]:
    """Say what genuine and impostor trials are shown by."""
    who, rates = _IMPOSTOR_TRIALS[zoo.by], zoo.shows == "errors"
    up = str(Text("{FAR} of impostor trials {who}", who=who)) if rates else f"mean score of impostor trials {who}"
    if np.isnan(zoo.genuine).all():
        return "subjects by rank; nobody has genuine trials", up
    return str(Text("{FRR} of genuine trials")) if rates else "mean score of genuine trials", up


def zoo_chart(zoo: Zoo) -> dict[str, Any]:
    """Give the chart `zoo`."""
    imitation, ranked = zoo.imitation[0], np.isnan(zoo.genuine).all()
    across, up = (
        linear_axis(
            label,
            padded(score_range(float(np.nanmin(values)), float(np.nanmax(values))), room=0.05),
            percent=zoo.shows == "errors" and not (ranked and values is not zoo.impostor),
        )
        for label, values in zip(_labels(zoo), (zoo.places, zoo.impostor), strict=True)
    )
    x = np.nan_to_num(zoo.places, nan=across["high"])  # at the edge without genuine trials
    points = zip(x.tolist(), zoo.impostor.tolist(), zoo.names, zoo.kinds, strict=True)
    both = f"goat and {imitation}"
    kinds = ("sheep", GREY, 0), ("goat", "var(--c1)", 2), (imitation, "var(--c0)", 0), (both, "var(--c2)", 1)
    return {
        "x": across,
        "y": up,
        "points": [{"x": x, "y": y, "name": name, "kind": kind or "sheep"} for x, y, name, kind in points],
        "kinds": [{"name": name, "colour": colour, "symbol": symbol} for name, colour, symbol in kinds],
    }


def zoo_sets(
    dev: Trials,
    test: Trials,
    *,
    criterion: CriterionLike = "eer",
    alpha: float | None = None,
    shows: Shows = "scores",
    by: Role = "claim",
) -> Drawn:
    """Gather everybody's genuine and impostor trials of one system.

    Parameters
    ----------
    shows : {"scores", "errors"}, default "scores"
        Mean scores, or error rates at the threshold from dev.
    by : {"claim", "subject"}, default "claim"
        claim: who is imitated (lambs); subject: who imitates (wolves).
    """
    (judgement,) = judge_systems(dev, test, (), [only_system(dev)], criterion, alpha, None)
    zoo = zoo_data(test, by=by, shows=shows, threshold=float(judgement.at(0).threshold))
    return Drawn((zoo,), {}, (*dev.notes, *test.notes))


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
    needed = "trials of both classes" if zoo.by == "claim" else "impostor trials"
    lost = f"; {zoo.left_out:,} without {needed} left out" if zoo.left_out else ""
    rule = "more errors than chance explains; larger dots: several people"
    if zoo.shows == "scores":
        rule = "beyond Tukey's fences; dotted: quartiles"
    margin_words = ""
    if zoo.subjects is not None:
        wolves = listed([name for name, wolf in zip(zoo.subjects.names, zoo.subjects.lambs, strict=True) if wolf])
        margin_words = f"Right margin: impostor trials by subject; wolves, who imitate others: {wolves or 'none'}"
    elif zoo.by == "subject" and unplaced.any():
        margin_words = "Right margin: subjects without genuine trials"
    caption = sentences(
        f"The zoo of {zoo.system} on test: {len(zoo.names):,} {zoo.by}s{lost}. Goats and {other}: {rule}",
        f"Impostor trials are those {_IMPOSTOR_TRIALS[zoo.by]}",
        margin_words,
    )
    with axes_for(ax, "zoo", caption) as (axes, pen):
        plain = ~zoo.goats & ~zoo.lambs & ~unplaced
        places, people = np.unique(np.stack([across, zoo.impostor], 1)[plain], axis=0, return_counts=True)
        axes.scatter(places[:, 0], places[:, 1], s=16.0 * people, color=GREY, alpha=0.55, linewidths=0)
        for number, chosen, name in (
            (1, zoo.goats & ~zoo.lambs, "goats"),
            (0, zoo.lambs & ~zoo.goats, other),
            (2, zoo.goats & zoo.lambs, "both"),
        ):
            if chosen.any() or name != "both":
                style: dict[str, Any] = {"markersize": 6, "label": f"{name}: {np.count_nonzero(chosen)}"}
                mark = look(number)
                axes.plot(across[chosen], zoo.impostor[chosen], mark.marker, color=mark.colour, **style)
        margin, flags = (zoo.impostor[unplaced], zoo.lambs[unplaced])
        if zoo.subjects is not None:
            margin, flags = zoo.subjects.impostor, zoo.subjects.lambs
            pen.explain(f"wolves, by subject: {np.count_nonzero(flags)}", color=look(3).colour, marker="_")
        for chosen, colour, width in ((~flags, GREY, 0.8), (flags, look(3).colour, 1.8)):
            ticks: dict[str, Any] = {"markersize": 9, "markeredgewidth": width, "clip_on": False}
            ends = np.full(np.count_nonzero(chosen), 1.03)
            axes.plot(ends, margin[chosen], "_", color=colour, transform=axes.get_yaxis_transform(), **ticks)
        if zoo.shows == "scores":
            for values, draw in ((zoo.genuine, axes.axvline), (zoo.impostor, axes.axhline)):
                for quartile in () if np.isnan(values).all() else np.nanquantile(values, [0.25, 0.75]):
                    draw(quartile, color=GREY, linestyle=":", linewidth=0.9)
            pen.explain("quartiles", linestyle=":", linewidth=0.9)
        axis_labels: Any = zip(("x", "y"), _labels(zoo), strict=True)
        for which, label in axis_labels:
            if which == "x" and np.isnan(zoo.genuine).all():  # ranks
                axes.set_xlabel(label)
            elif zoo.shows == "errors":
                pen.rates(which, label)
            else:
                pen.scores(which, label, zoo.system)
        _name_outliers(axes, zoo)
        return axes


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
