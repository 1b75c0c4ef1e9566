"""People who are tested several times: their error rate, its intervals, and how well intervals cover the truth."""

from fairtrial.individuals.attempts import ErrorKind, Individuals, Person
from fairtrial.individuals.beta_binomial import BetaBinomialFit, fit_beta_binomial
from fairtrial.individuals.coverage import PAPER, QUICK, Cell, CoverageRow, Grid, cover, cover_exactly
from fairtrial.individuals.findings import PAPER_CLAIMS, ClaimFound, ClaimsFound, check_claims
from fairtrial.individuals.fitting import FitTest, ModelCheck, fit_test
from fairtrial.individuals.generators import GENERATORS, Generator, draw_counts, draw_individuals, errors_pmf
from fairtrial.individuals.hypotheses import (
    IndividualsTest,
    IndividualsTests,
    device_test,
    paired_device_test,
    rate_test,
)
from fairtrial.individuals.limits import INDIVIDUALS_METHODS, IndividualsMethod, Limits
from fairtrial.individuals.methods import REPEATED_METHODS
from fairtrial.individuals.models import ModelFit, fit_model, rho_interval
from fairtrial.individuals.repeated import RepeatedIntervals, repeated_intervals
from fairtrial.individuals.study import CoverageStudy, StudySettings, run_study, study_like

__all__ = [
    "GENERATORS",
    "INDIVIDUALS_METHODS",
    "PAPER",
    "PAPER_CLAIMS",
    "QUICK",
    "REPEATED_METHODS",
    "BetaBinomialFit",
    "Cell",
    "ClaimFound",
    "ClaimsFound",
    "CoverageRow",
    "CoverageStudy",
    "ErrorKind",
    "FitTest",
    "Generator",
    "Grid",
    "Individuals",
    "IndividualsMethod",
    "IndividualsTest",
    "IndividualsTests",
    "Limits",
    "ModelCheck",
    "ModelFit",
    "Person",
    "RepeatedIntervals",
    "StudySettings",
    "check_claims",
    "cover",
    "cover_exactly",
    "device_test",
    "draw_counts",
    "draw_individuals",
    "errors_pmf",
    "fit_beta_binomial",
    "fit_model",
    "fit_test",
    "paired_device_test",
    "rate_test",
    "repeated_intervals",
    "rho_interval",
    "run_study",
    "study_like",
]
