"""Doddington's zoo: who is hard to recognise (goats), easy to imitate (lambs) or good at it (wolves)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from fairtrial.axes import check_drawable
from fairtrial.checks import check_choice
from fairtrial.errors import ParameterError, TrialsError, cut
from fairtrial.formats.frames import TrialsLike, trials_of
from fairtrial.judging import wrong_decisions
from fairtrial.plots.style import GREY, axes_for, in_percent, legend_below, legible, look
from fairtrial.tables import Terms, translate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Person: TypeAlias = Literal["claim", "subject"]
Shown: TypeAlias = Literal["scores", "errors"]

Floats = NDArray[np.float64]
_FENCE = 1.5
_RISK = 0.05
_LABELS = 4
_SIZE = 7.0
"""Of names, in points."""
_SIDES = ((1, 1), (-1, 1), (1, -1), (-1, -1))
"""Of a point, where its name may be: across and up."""


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
        errors than the worst of so many people would have by chance in 1 of 20 cases.
    threshold : float, optional
        The threshold from dev, for errors; a score above it is accepted.

    Returns
    -------
    Zoo
        One entry per person, and who stands out.

    Raises
    ------
    TrialsError
        Ids that are not there, or too few people.
    ParameterError
        Errors without a threshold.

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
        raise TrialsError(f"the zoo needs {by} ids, which these trials do not have")
    if shows == "errors" and threshold is None:
        raise ParameterError("errors need a threshold; choose one on dev")
    ids = trials.ids[by].numbered()
    scores = trials.column(system).astype(np.float64)
    values = (
        wrong_decisions(trials, system, threshold).astype(np.float64)
        if threshold is not None and shows == "errors"
        else scores
    )
    finite = np.isfinite(values)
    check_drawable(values[finite])
    totals, counts = [], []
    for rows in (trials.genuine & finite, ~trials.genuine & finite):
        totals.append(np.bincount(ids.codes[rows], values[rows], len(ids.names)).astype(np.float64))
        counts.append(np.bincount(ids.codes[rows], minlength=len(ids.names)))
    whole = (counts[0] > 0) & (counts[1] > 0)
    if np.count_nonzero(whole) < 4:
        raise TrialsError(f"the zoo needs at least 4 {by}s with genuine and impostor trials")
    genuine, impostor = (total[whole] / count[whole] for total, count in zip(totals, counts, strict=True))
    if shows == "scores":
        goats, lambs = _beyond(-genuine), _beyond(impostor)
    else:
        goats, lambs = (improbable(total[whole], count[whole]) for total, count in zip(totals, counts, strict=True))
    present = int(np.count_nonzero((counts[0] > 0) | (counts[1] > 0)))
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
        present - int(np.count_nonzero(whole)),
    )


def _beyond(values: Floats) -> NDArray[np.bool_]:
    """Which values lie above Tukey's upper fence."""
    low, high = np.quantile(values, [0.25, 0.75])
    return np.asarray(values > high + _FENCE * (high - low))


def improbable(errors: Floats, trials: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Who has more errors than the common rate explains, for as many people as there are."""
    rate = float(errors.sum() / trials.sum())
    if not 0 < rate < 1:
        return np.zeros(len(errors), dtype=bool)
    return np.asarray(bdtrc(errors.round() - 1, trials, rate) < _RISK / len(errors))


def zoo_plot(zoo: Zoo, *, terms: Terms = "default", ax: Axes | None = None) -> Axes:
    """Draw every person by their genuine and impostor trials, and name those who stand out.

    Parameters
    ----------
    zoo : Zoo
        What `zoo_data` gives.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
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
    other = "lambs" if zoo.by == "claim" else "wolves"
    with axes_for(ax, (6.0, 5.2)) as own:
        plain = ~zoo.goats & ~zoo.lambs
        places, people = np.unique(np.stack([zoo.genuine, zoo.impostor], 1)[plain], axis=0, return_counts=True)
        own.scatter(places[:, 0], places[:, 1], s=16.0 * people, color=GREY, alpha=0.55, linewidths=0)
        for number, chosen, name in (
            (1, zoo.goats & ~zoo.lambs, "goats"),
            (0, zoo.lambs & ~zoo.goats, other),
            (2, zoo.goats & zoo.lambs, "both"),
        ):
            if chosen.any() or name != "both":
                drawn = look(number)
                own.plot(
                    zoo.genuine[chosen],
                    zoo.impostor[chosen],
                    drawn.marker,
                    color=drawn.colour,
                    markersize=6,
                    label=f"{name}: {np.count_nonzero(chosen)}",
                )
        if zoo.shows == "scores":
            _quartiles(own, zoo)
        _name_outliers(own, zoo)
        who = {"claim": "against the claim", "subject": "by the subject"}[zoo.by]
        if zoo.shows == "errors":
            in_percent(own.xaxis, translate("FRR of genuine trials", terms))
            in_percent(own.yaxis, translate(f"FAR of impostor trials {who}", terms))
        else:
            own.set_xlabel("mean score of genuine trials")
            own.set_ylabel(f"mean score of impostor trials {who}")
        lost = f"; {zoo.left_out:,} without trials of both classes left out" if zoo.left_out else ""
        rule = (
            f"goats, {other}: beyond Tukey's fences; dotted: quartiles"
            if zoo.shows == "scores"
            else f"goats, {other}: more errors than chance explains; larger dots: several people"
        )
        own.set_title(f"the zoo of {legible(zoo.system)} on test: {len(zoo.names):,} {zoo.by}s{lost}\n{rule}")
        legend_below(own)
        return own


def _quartiles(ax: Axes, zoo: Zoo) -> None:
    for value in np.quantile(zoo.genuine, [0.25, 0.75]):
        ax.axvline(value, color=GREY, linestyle=":", linewidth=0.9)
    for value in np.quantile(zoo.impostor, [0.25, 0.75]):
        ax.axhline(value, color=GREY, linestyle=":", linewidth=0.9)


def _name_outliers(ax: Axes, zoo: Zoo) -> None:
    """Write the names of the few most striking within the axes, where they hide neither names nor those who stand out.

    A name that finds no such place is left out, but for the first of all.
    """
    limits = ax.get_xlim(), ax.get_ylim()  # asking for them makes them final
    corners = _in_points(ax, np.transpose(limits))
    inside = Box(*corners[:, 0].tolist(), *corners[:, 1].tolist())
    places = _in_points(ax, np.stack([zoo.genuine, zoo.impostor], 1))
    taken = [Box(x - 3, x + 3, y - 3, y + 3) for x, y in places[zoo.goats | zoo.lambs].tolist()]
    for rank, row in enumerate(_most_striking(zoo)):
        name = cut(zoo.names[row], 20)
        sides = [(side, _box(places[row], name, *side)) for side in _SIDES]
        within = [(side, box) for side, box in sides if box.within(inside)]
        free = [(side, box) for side, box in within if not any(box.overlaps(other) for other in taken)]
        if not free and (rank or not within):
            continue
        (across, up), box = (free or within)[0]
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


def _most_striking(zoo: Zoo) -> list[int]:
    """The worst goats and the worst lambs, each once, by turns."""
    worst = zoo.genuine if zoo.shows == "errors" else -zoo.genuine
    ranked = []
    for chosen, badness in ((zoo.goats, worst), (zoo.lambs, zoo.impostor)):
        rows = np.flatnonzero(chosen)
        ranked.append(rows[np.argsort(-badness[rows], kind="stable")][:_LABELS].tolist())
    turns = [ranked[k % 2][k // 2] for k in range(2 * _LABELS) if k // 2 < len(ranked[k % 2])]
    return list(dict.fromkeys(turns))


class Box(NamedTuple):
    """A rectangle on paper, in points."""

    left: float
    right: float
    bottom: float
    top: float

    def within(self, other: Box) -> bool:
        """Whether it is inside another."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.bottom <= self.bottom and self.top <= other.top

    def overlaps(self, other: Box) -> bool:
        """Whether the two have something in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.bottom < other.top and other.bottom < self.top


def _in_points(ax: Axes, places: Floats) -> Floats:
    """Places of data on paper."""
    return np.asarray(ax.transData.transform(places) * 72 / ax.figure.dpi)


def _box(place: Floats, name: str, across: int, up: int) -> Box:
    """About where a name will be, a little wider than most fonts make it."""
    x, y = place.tolist()
    ends = (x + across * 4, x + across * (5 + 0.68 * _SIZE * len(name))), (y + up * 3, y + up * (4 + 1.2 * _SIZE))
    return Box(min(ends[0]), max(ends[0]), min(ends[1]), max(ends[1]))
