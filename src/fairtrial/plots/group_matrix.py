"""The FAR of impostors of every group against claims of every group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fairtrial.axes import log_ticks
from fairtrial.claims import GIVEN
from fairtrial.errors import TrialsError
from fairtrial.groups.results import GroupEvaluation
from fairtrial.plots.style import axes_for, in_percent, legible
from fairtrial.tables import Terms, level_text, translate
from fairtrial.tables import in_percent as percent_text
from fairtrial.trial_sets import PROVENANCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY = 16
"""Groups beyond which numbers would not fit into their squares."""
_SQUARE = 0.55
"""Inches of the side of a square."""
_LUMINANCE, _GAMMA = np.array([0.2126, 0.7152, 0.0722]), 2.2
_HALFWAY = 0.179
"""The luminance that black and white stand out from equally well."""


def group_matrix_plot(found: GroupEvaluation, *, terms: Terms = "default", ax: Axes | None = None) -> Axes:
    """Draw the FAR by the group of the claim and the group of the impostor, on a log scale of colours.

    Parameters
    ----------
    found : GroupEvaluation
        Of `evaluate_groups`, with a table of people or `impostor_by`, so that both groups are known.
    terms : {"default", "iso"}, default "default"
        The names of error rates: FAR and FRR, or FMR and FNMR as in ISO/IEC 19795-1 (``iso``).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        One row per group of the claim, one column per group of the impostor; numbers are percent, bold where the
        simultaneous interval does not hold the FAR of all. Squares without trials are blank; those without a false
        accept have the colour of the lowest rate and the number 0.

    Raises
    ------
    TrialsError
        The impostors' groups are not known.

    Examples
    --------
    >>> from fairtrial import evaluate_groups, synthetic_groups
    >>> data = synthetic_groups({"a": 20, "b": 20}, worse={"b": 4.0})
    >>> found = evaluate_groups(data.dev, data.test, by="group", impostor_by="impostor_group")
    >>> group_matrix_plot(found).get_xlabel()
    'group of the impostor'
    """
    if not found.meetings:
        raise TrialsError("the groups of impostors are not known; say them with people=... or impostor_by=...")
    names = [own.group for own in found.groups]
    names += sorted({own.impostor for own in found.meetings} - set(names))
    place = {name: k for k, name in enumerate(names)}
    rates = np.full((len(names), len(names)), np.nan)
    for own in found.meetings:
        rates[place[own.claim], place[own.impostor]] = own.interval.estimate
    side = 2.2 + _SQUARE * len(names)
    with axes_for(ax, (side + 1.0, side)) as axes:
        _draw(axes, rates, [legible(name) for name in names], terms)
        if len(names) <= _MANY:
            _write(axes, found, place)
        axes.set_title(_headline(found))
        return axes


def _draw(ax: Axes, rates: np.ndarray, names: list[str], terms: Terms) -> None:
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import FixedLocator, NullLocator

    known = rates[rates > 0]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.001, 0.01)
    if low == high:
        low, high = low / 2, min(2 * high, 1.0)
    drawn = ax.imshow(np.maximum(rates, low), norm=LogNorm(low, high), cmap="viridis", aspect="equal")
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel("group of the impostor")
    ax.set_ylabel("group of the claim")
    ax.grid(visible=False)
    figure = ax.get_figure()
    assert figure is not None
    bar = figure.colorbar(drawn, ax=ax, shrink=0.85)
    in_percent(bar.ax.yaxis, translate("FAR", terms))
    bar.ax.yaxis.set_major_locator(FixedLocator([tick for tick, _ in log_ticks(low, high)]))
    bar.ax.yaxis.set_minor_locator(NullLocator())


def _write(ax: Axes, found: GroupEvaluation, place: dict[str, int]) -> None:
    """The numbers, dark on pale squares and pale on dark ones."""
    (image,) = ax.images
    overall = found.overall["far"]
    size = 8.5 - 0.25 * max(len(place) - 6, 0)
    shades = np.asarray(image.to_rgba(np.asarray(image.get_array())))[:, :, :3] ** _GAMMA @ _LUMINANCE
    for own in found.meetings:
        rate, interval = own.interval.estimate, own.interval
        ax.text(
            place[own.impostor],
            place[own.claim],
            percent_text(rate) if rate else "0",
            ha="center",
            va="center",
            color="black" if shades[place[own.claim], place[own.impostor]] > _HALFWAY else "white",
            fontsize=size,
            fontweight="normal" if interval.low <= overall <= interval.high else "bold",
        )


def _headline(found: GroupEvaluation) -> str:
    level = (
        f"{level_text(found.confidence)} intervals of all pairs together, {GIVEN[found.meetings[0].interval.threshold]}"
    )
    rule = f"threshold by {found.criterion.described(found.alpha)} {PROVENANCES[found.kind].chosen}"
    return (
        f"{legible(found.system)} by {' and '.join(found.by)}: {found.kind}, {rule}\n"
        f"bold: not that of all, {percent_text(found.overall['far'])} % ({level})"
    )
