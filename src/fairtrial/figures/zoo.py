"""Find and draw people who stand out: Doddington's zoo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from fairtrial.core.errors import ParameterError, TrialsError, check_choice
from fairtrial.core.trials import check_drawable
from fairtrial.core.words import Text, cut
from fairtrial.figures.axes import Floats, linear_axis, padded, score_range
from fairtrial.figures.style import GREY, axes_for, in_percent, legend_below, legible, look
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.inference.decide import wrong_decisions

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    """Mean scores, or the FRR."""
    impostor: Floats
    """Mean scores, or the FAR."""
    goats: NDArray[np.bool_]
    lambs: NDArray[np.bool_]
    """Lambs by claim, wolves by subject."""
    threshold: float | None
    left_out: int
    """People without trials of one class."""

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
        who = _IMPOSTOR_TRIALS[self.by]
        if self.shows == "errors":
            return str(Text("{FRR} of genuine trials")), str(Text("{FAR} of impostor trials {who}", who=who))
        return "mean score of genuine trials", f"mean score of impostor trials {who}"

    def to_dict(self) -> dict[str, Any]:
        """Give the chart `zoo`."""
        other = self.imitation[0]
        across, up = (
            linear_axis(
                label,
                padded(score_range(float(values.min()), float(values.max())), room=0.05),
                percent=self.shows == "errors",
            )
            for label, values in zip(self.labels, (self.genuine, self.impostor), strict=True)
        )
        points = zip(self.genuine.tolist(), self.impostor.tolist(), self.names, self.kinds, strict=True)
        return {
            "x": across.to_dict(),
            "y": up.to_dict(),
            "points": [{"x": x, "y": y, "name": name, "kind": kind or "sheep"} for x, y, name, kind in points],
            "kinds": ["sheep", "goat", other, f"goat and {other}"],
        }


def zoo_data(
    trials: TrialsLike,
    *,
    system: str | None = None,
    by: Person = "claim",
    shows: Shown = "scores",
    threshold: float | None = None,
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
    threshold : float, optional
        The threshold from dev, for errors; a score above it is accepted.

    Returns
    -------
    Zoo
        One entry per person, and who stands out.

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
    whole = (counts[0] > 0) & (counts[1] > 0)
    if np.count_nonzero(whole) < 4:
        raise TrialsError(f"the zoo needs at least 4 {by}s with genuine and impostor trials", code="few-people")
    totals, numbers = [total[whole] for total in totals], [count[whole] for count in counts]
    genuine, impostor = (total / number for total, number in zip(totals, numbers, strict=True))
    if shows == "scores":
        goats, lambs = (_beyond_fence(values) for values in (-genuine, impostor))
    else:
        goats, lambs = (improbable(total, number) for total, number in zip(totals, numbers, strict=True))
    return Zoo(
        trials.systems[0] if system is None else system,
        by,
        shows,
        tuple(str(name) for name in ids.names[whole]),
        genuine,
        impostor,
        goats,
        lambs,
        threshold,
        int(np.count_nonzero((counts[0] > 0) | (counts[1] > 0)) - np.count_nonzero(whole)),
    )


def _beyond_fence(values: Floats) -> NDArray[np.bool_]:
    """Find values above Tukey's upper fence."""
    low, high = np.quantile(values, [0.25, 0.75])
    return np.asarray(values > high + _FENCE * (high - low))


def improbable(errors: Floats, trials: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find people with more errors than the common rate explains, with Bonferroni's correction."""
    rate = float(errors.sum() / trials.sum())
    if not 0 < rate < 1:
        return np.zeros(len(errors), dtype=bool)
    return np.asarray(bdtrc(errors.round() - 1, trials, rate) < _RISK / len(errors))


def zoo_plot(zoo: Zoo, *, ax: Axes | None = None) -> Axes:
    """Draw every person by their genuine and impostor trials, and name those who stand out.

    Parameters
    ----------
    zoo : Zoo
        What `zoo_data` gives.
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
    other = zoo.imitation[1]
    with axes_for(ax, "zoo") as own:
        plain = ~zoo.goats & ~zoo.lambs
        places, people = np.unique(np.stack([zoo.genuine, zoo.impostor], 1)[plain], axis=0, return_counts=True)
        own.scatter(places[:, 0], places[:, 1], s=16.0 * people, color=GREY, alpha=0.55, linewidths=0)
        for number, chosen, name in (
            (1, zoo.goats & ~zoo.lambs, "goats"),
            (0, zoo.lambs & ~zoo.goats, other),
            (2, zoo.goats & zoo.lambs, "both"),
        ):
            if chosen.any() or name != "both":
                style: dict[str, Any] = {"markersize": 6, "label": f"{name}: {np.count_nonzero(chosen)}"}
                drawn = look(number)
                own.plot(zoo.genuine[chosen], zoo.impostor[chosen], drawn.marker, color=drawn.colour, **style)
        rule = "more errors than chance explains; larger dots: several people"
        if zoo.shows == "scores":
            rule = "beyond Tukey's fences; dotted: quartiles"
            for values, draw in ((zoo.genuine, own.axvline), (zoo.impostor, own.axhline)):
                for quartile in np.quantile(values, [0.25, 0.75]):
                    draw(quartile, color=GREY, linestyle=":", linewidth=0.9)
        _name_outliers(own, zoo)
        for axis, label in zip((own.xaxis, own.yaxis), zoo.labels, strict=True):
            if zoo.shows == "errors":
                in_percent(axis, label)
            else:
                axis.set_label_text(label)
        lost = f"; {zoo.left_out:,} without trials of both classes left out" if zoo.left_out else ""
        own.set_title(
            f"the zoo of {legible(zoo.system)} on test: {len(zoo.names):,} {zoo.by}s{lost}\ngoats, {other}: {rule}"
        )
        legend_below(own)
        return own


def _name_outliers(ax: Axes, zoo: Zoo) -> None:
    """Name the worst goats and lambs within the axes, without hiding other names or those who stand out.

    A name that finds no such place is left out, but for the first of all.
    """
    from matplotlib.transforms import Bbox

    worst = zoo.genuine if zoo.shows == "errors" else -zoo.genuine
    ranked = []
    for chosen, badness in ((zoo.goats, worst), (zoo.lambs, zoo.impostor)):
        rows = np.flatnonzero(chosen)
        ranked.append(rows[np.argsort(-badness[rows], kind="stable")][:_LABELS].tolist())
    turns = [ranked[k % 2][k // 2] for k in range(2 * _LABELS) if k // 2 < len(ranked[k % 2])]

    def in_points(data: Any) -> Floats:
        return np.asarray(ax.transData.transform(data) * 72 / ax.figure.dpi)

    limits = ax.get_xlim(), ax.get_ylim()  # asking for them makes them final
    inside = Bbox(in_points(np.transpose(limits)))
    places = in_points(np.stack([zoo.genuine, zoo.impostor], 1))
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
            (float(zoo.genuine[row]), float(zoo.impostor[row])),
            xytext=(5 * across, 4 * up),
            textcoords="offset points",
            fontsize=_SIZE,
            ha="left" if across > 0 else "right",
            va="bottom" if up > 0 else "top",
        )
