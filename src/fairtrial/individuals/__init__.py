"""People who are tested several times, simulated: how well intervals cover the truth."""

from fairtrial.individuals.coverage import PAPER, QUICK, Cell, CoverageRow, Grid, cover, cover_exactly
from fairtrial.individuals.generators import GENERATORS, draw_counts, draw_individuals, errors_pmf
from fairtrial.individuals.study import CoverageStudy, StudySettings, run_study, study_like

__all__ = [
    "GENERATORS",
    "PAPER",
    "QUICK",
    "Cell",
    "CoverageRow",
    "CoverageStudy",
    "Grid",
    "StudySettings",
    "cover",
    "cover_exactly",
    "draw_counts",
    "draw_individuals",
    "errors_pmf",
    "run_study",
    "study_like",
]
