"""Analyse and plan tests in which people are tested several times."""

from .attempts import Individuals
from .comparison_plans import ComparisonPlan, comparison_power, plan_comparison
from .coverage import PAPER, QUICK, Cell, CoverageRow, Grid, cover, cover_exactly
from .generators import draw_individuals, errors_pmf
from .intervals import RepeatedIntervals, repeated_intervals
from .models import BetaBinomialFit, FitTest, fit_beta_binomial, fit_model, fit_test, rho_interval
from .paper_claims import ClaimsFound, check_claims
from .rate_plans import RatePlan, check_plan, plan_rate, rule_of_thirty
from .study import CoverageStudy, StudySettings, run_study, study_like
from .tests import IndividualsTests, device_test, paired_device_test, rate_test

__all__ = [
    "PAPER",
    "QUICK",
    "BetaBinomialFit",
    "Cell",
    "ClaimsFound",
    "ComparisonPlan",
    "CoverageRow",
    "CoverageStudy",
    "FitTest",
    "Grid",
    "Individuals",
    "IndividualsTests",
    "RatePlan",
    "RepeatedIntervals",
    "StudySettings",
    "check_claims",
    "check_plan",
    "comparison_power",
    "cover",
    "cover_exactly",
    "device_test",
    "draw_individuals",
    "errors_pmf",
    "fit_beta_binomial",
    "fit_model",
    "fit_test",
    "paired_device_test",
    "plan_comparison",
    "plan_rate",
    "rate_test",
    "repeated_intervals",
    "rho_interval",
    "rule_of_thirty",
    "run_study",
    "study_like",
]
