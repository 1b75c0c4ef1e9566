"""Analyse and plan tests in which people are tested several times."""

from .attempts import Individuals
from .cells import PAPER, QUICK, Cell, CoverageRow, Grid
from .comparison_plans import ComparisonPlan, comparison_power, plan, plan_comparison
from .coverage import CoverageStudy, coverage_study
from .fits import FitTest, ModelFit, fit_model, fit_test, rho_interval
from .intervals import RepeatedIntervals, repeated_intervals
from .models import draw_individuals, errors_pmf
from .rate_plans import RatePlan, check_plan, plan_rate, rule_of_thirty
from .tests import IndividualsTests, individuals_test

__all__ = [
    "PAPER",
    "QUICK",
    "Cell",
    "ComparisonPlan",
    "CoverageRow",
    "CoverageStudy",
    "FitTest",
    "Grid",
    "Individuals",
    "IndividualsTests",
    "ModelFit",
    "RatePlan",
    "RepeatedIntervals",
    "check_plan",
    "comparison_power",
    "coverage_study",
    "draw_individuals",
    "errors_pmf",
    "fit_model",
    "fit_test",
    "individuals_test",
    "plan",
    "plan_comparison",
    "plan_rate",
    "repeated_intervals",
    "rho_interval",
    "rule_of_thirty",
]
