"""Whether a model fits: expected people by hand, and how often right and wrong models are rejected."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy import stats

from fairtrial import Individuals, ParameterError, draw_individuals, fit_test
from fairtrial.individuals import Generator
from reference.individuals_2004 import EXAMPLE


def test_expected_people_respect_their_attempts() -> None:
    errors, attempts = [0, 1, 0, 3, 0, 2, 0, 4], [2, 2, 5, 5, 5, 8, 8, 8]
    found = fit_test(Individuals.from_counts(errors, attempts), models=["beta-binomial"], n_resamples=5)
    fit, theta = found.models[0].fit, found.models[0].fit.rho / (1 - found.models[0].fit.rho)
    shapes = fit.estimate / theta, (1 - fit.estimate) / theta
    expected = [sum(float(stats.betabinom.pmf(k, m, *shapes)) for m in attempts) for k in range(9)]
    assert found.models[0].expected == pytest.approx(expected)
    assert found.observed.tolist() == [4, 1, 1, 1, 1, 0, 0, 0, 0]
    statistic = 2 * sum(o * np.log(o / e) for o, e in zip(found.observed, expected, strict=True) if o)
    assert found.models[0].statistic == pytest.approx(statistic)


@pytest.mark.parametrize(("true", "other"), [(0, 1), (1, 0)])
def test_the_true_model_fits_and_the_other_does_not(true: int, other: int) -> None:
    models: list[Generator] = ["beta-binomial", "oman-zucker"]
    errors = draw_individuals([12] * 400, 0.1, 0.2, generator=models[true], rng=3)
    found = fit_test(Individuals.from_counts(errors, 12), models=models, n_resamples=40)
    assert found.models[true].p_value > 0.05
    assert found.models[other].p_value == pytest.approx(1 / 41)
    assert found.models[true].fit.log_likelihood > found.models[other].fit.log_likelihood


def test_level_of_the_true_model() -> None:
    rng = np.random.default_rng(4)
    p_values = []
    for _ in range(20):
        people = Individuals.from_counts(draw_individuals([6] * 80, 0.15, 0.2, generator="beta-binomial", rng=rng), 6)
        found = fit_test(people, models=["beta-binomial"], n_resamples=19, rng=rng)
        p_values.append(found.models[0].p_value)
    # uniform on 1/20, ..., 1: 4 standard deviations around 5 % and around the mean
    assert np.mean(np.array(p_values) <= 0.05) < 0.05 + 4 * (0.05 * 0.95 / 20) ** 0.5
    assert np.mean(p_values) == pytest.approx(0.525, abs=4 * 0.29 / 20**0.5)


def test_nothing_to_fit() -> None:
    found = fit_test(Individuals.from_counts([0, 0, 0], 5), n_resamples=5)
    assert all(isnan(model.p_value) for model in found.models)
    assert "nothing tells the correlation" in found.tables()[0].notes[0]


def test_few_repeated_errors_are_noted() -> None:
    found = fit_test(Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts), n_resamples=5)
    assert "2 people made more than one error" in found.tables()[0].notes[1]


def test_same_seed_same_p_value() -> None:
    people = Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts)
    first, second = (fit_test(people, n_resamples=10, rng=7).to_dict() for _ in range(2))
    assert first == second


def test_what_is_not_possible() -> None:
    people = Individuals.from_counts(EXAMPLE.errors, EXAMPLE.attempts)
    with pytest.raises(ParameterError, match="at least one model"):
        fit_test(people, models=[])
    with pytest.raises(ParameterError, match="at least one resample"):
        fit_test(people, n_resamples=0)
