"""The page of a coverage study."""

from __future__ import annotations

import numpy as np

from fairtrial.axes import COVERAGE_COLOURS, coverage_classes, coverage_labels
from fairtrial.individuals import CoverageStudy
from fairtrial.report.page import Cell, Page, Reference, Repeat, Table, percent_cell
from fairtrial.tables import Terms, plural

_SIX = Reference(
    "Six intervals for an error rate of people who are tested several times, and how well they cover.",
    "Schuckers, Hawley, Livingstone & Mramba, A comparison of statistical methods, 2004",
)
_WITHIN = (0.925, 0.975)
"""A coverage between these counts as right."""


def coverage_page(study: CoverageStudy, repeat: Repeat, *, terms: Terms = "default") -> Page:
    """The page of a coverage study, with its map.

    Parameters
    ----------
    study
        Of `run_study`.
    repeat
        What it takes to do the same again.
    terms
        ``iso`` calls error rates FMR and FNMR.

    Returns
    -------
    Page
        To be written by `write_report`.
    """
    settings = study.settings
    within = study.share_within(*_WITHIN)
    right = f"{100 * _WITHIN[0]:g} to {100 * _WITHIN[1]:g} %"
    cells = list(dict.fromkeys((row.n, row.m, row.pi, row.rho) for row in study.rows))
    best = max(within, key=lambda name: within[name])
    summary, maps = [], {}
    for name in settings.methods:
        rows = [row for row in study.rows if row.method == name]
        coverage = np.array([row.coverage for row in rows])
        maps[name] = {"values": coverage.tolist(), "classes": coverage_classes(coverage).tolist()}
        undefined = float(np.mean([row.undefined for row in rows]))
        figures = (within[name], float(coverage.mean()), float(coverage.min()), undefined)
        summary.append((Cell(name), *(percent_cell(value) for value in figures)))
    how = "all possible data sets" if settings.exact else f"{settings.data_sets:,} data sets per cell"
    return Page(
        title=f"Coverage of {plural(len(settings.methods), 'interval')} in {plural(len(cells), 'cell')}",
        asked=f"How often {100 * settings.confidence:g} % intervals for repeated attempts hold the true rate "
        f"({settings.generator}, {how}).",
        answer=(f"{best} does best: it covers {right} in {100 * within[best]:.1f} % of the cells.",),
        tables=(
            Table(
                "By method",
                ("method", f"cells that cover {right}", "mean coverage %", "lowest %", "undefined %"),
                tuple(summary),
            ),
        ),
        data=(),
        methods=(_SIX,),
        repeat=repeat,
        explore={
            "coverage": {
                "cells": [list(cell) for cell in cells],
                "maps": maps,
                "best": best,
                "legend": [list(entry) for entry in zip(COVERAGE_COLOURS, coverage_labels(), strict=True)],
            }
        },
        terms=terms,
    )
