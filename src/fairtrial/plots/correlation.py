"""How systems are correlated within genuine and within impostor trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fairtrial.fusion.correlation import SystemCorrelations
from fairtrial.plots.style import figure_for, legible

if TYPE_CHECKING:
    from fairtrial.plots.style import Canvas

_MANY = 12
"""Systems beyond which numbers would not fit into their squares."""


def correlation_plot(found: SystemCorrelations, *, figure: Canvas | None = None) -> Canvas:
    """Draw the correlations of systems as two maps, one per class of trials.

    Parameters
    ----------
    found : SystemCorrelations
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
    >>> len(correlation_plot(ft.system_correlations(test)).axes) >= 2
    True
    """
    count = len(found.systems)
    names = [legible(name) for name in found.systems]
    with figure_for(figure, (2.6 + 0.9 * count, 1.6 + 0.45 * count)) as own:
        panels = own.subplots(1, 2, sharey=True)
        for ax, word, part in zip(panels, ("genuine", "impostor"), (found.genuine, found.impostor), strict=True):
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
