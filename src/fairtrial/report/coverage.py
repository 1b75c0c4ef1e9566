"""The page of a coverage study."""

from __future__ import annotations

import numpy as np

from fairtrial.axes import COVERAGE_COLOURS, coverage_classes, coverage_labels
from fairtrial.individuals import CoverageStudy
from fairtrial.individuals.study import RIGHT_COVERAGE
from fairtrial.report.page import Page, Reference, Repeat
from fairtrial.tables import Terms, level_text, levels_text, percent, plural

_SIX = Reference(
    "Six intervals for an error rate of people who are tested several times, and how well they cover.",
    "Schuckers, Hawley, Livingstone & Mramba, A comparison of statistical methods, 2004",
)


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
    within = study.share_within()
    best = max(within, key=lambda name: within[name])
    cells = list(dict.fromkeys((row.n, row.m, row.pi, row.rho) for row in study.rows))
    maps = {}
    for name in settings.methods:
        coverage = np.array([row.coverage for row in study.rows if row.method == name])
        maps[name] = {"values": coverage.tolist(), "classes": coverage_classes(coverage).tolist()}
    how = "all possible data sets" if settings.exact else f"{settings.data_sets:,} data sets per cell"
    return Page(
        title=f"Coverage of {plural(len(settings.methods), 'interval')} in {plural(len(cells), 'cell')}",
        asked=f"How often {level_text(settings.confidence)} intervals for repeated attempts hold the true rate "
        f"({settings.generator}, {how}).",
        answer=(
            f"{best} does best: it covers {levels_text(*RIGHT_COVERAGE)} in {percent(within[best])} of the cells.",
        ),
        tables=(study.by_method(),),
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
