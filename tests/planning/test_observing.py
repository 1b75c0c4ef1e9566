"""What a comparison tells of the next one, against sums by hand and simulated correlations."""

import numpy as np
import pytest
from scipy.stats import norm

from fairtrial import Trials, TrialsError, TrialSets, judge_at
from fairtrial.planning.observing import intraclass_correlation, observed_setting
from fairtrial.significance.paired import Pair, leading_test, pair_judgements


def test_intraclass_correlation_of_an_analysis_of_variance_by_hand() -> None:
    """Three people with two values each: means 1, 2 and 4; mean squares 14/3 between and 1 within."""
    values, groups = np.array([0.0, 2, 1, 3, 4, 4]), np.array([7, 7, 3, 3, 5, 5])
    between, within = 2 * ((1 - 7 / 3) ** 2 + (2 - 7 / 3) ** 2 + (4 - 7 / 3) ** 2) / 2, 4 / 3
    assert intraclass_correlation(values, groups) == pytest.approx((between - within) / (between + within))


@pytest.mark.parametrize("rho", [0.0, 0.2, 0.6])
def test_intraclass_correlation_finds_what_was_simulated(rho: float) -> None:
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(4000), rng.integers(1, 6, 4000))
    values = np.sqrt(rho) * rng.normal(size=4000)[groups] + np.sqrt(1 - rho) * rng.normal(size=len(groups))
    assert intraclass_correlation(values, groups) == pytest.approx(rho, abs=0.03)


@pytest.mark.parametrize("groups", [[0, 1, 2], [0, 0, 0]])
def test_nothing_is_claimed_where_nothing_tells(groups: list[int]) -> None:
    assert intraclass_correlation(np.array([1.0, 2, 3]), np.array(groups)) == 0


def pair(
    scores: list[list[float]], genuine: list[bool], claim: list[str] | None = None, subject: list[str] | None = None
) -> Pair:
    trials = Trials.from_arrays(np.array(scores), genuine, systems=["a", "b"], claim=claim, subject=subject)
    sets = TrialSets(None, trials)
    a, b = (judge_at(sets, 0.5, system=name) for name in ("a", "b"))
    return pair_judgements(a, b)


def test_observed_setting_counts_people_attempts_and_errors() -> None:
    found = observed_setting(
        pair(
            [[0.9, 0.4], [0.8, 0.9], [0.4, 0.4], [0.9, 0.9], [0.6, 0.1], [0.1, 0.1], [0.2, 0.2], [0.3, 0.3]],
            [True, True, True, True, False, False, False, False],
            claim=["x", "x", "y", "y", "x", "x", "y", "y"],
            subject=["x", "x", "y", "y", "p", "q", "p", "r"],
        )
    )
    assert (found.a, found.b) == ((0.25, 0.25), (0.0, 0.5))
    assert (found.individuals, found.attempts, found.impostor_attempts, found.impostors) == (2, 2, 2, 3)
    # genuine errors 0010 and 1010: covariance 1/8, deviations sqrt(3)/4 and 1/2; impostors of b make no error
    assert found.correlation == pytest.approx((1 / 8) / (np.sqrt(3) / 8))


def test_a_plan_needs_to_know_who_claimed_to_be_whom() -> None:
    with pytest.raises(TrialsError, match="no ids"):
        observed_setting(pair([[0.9, 0.4], [0.2, 0.1]], [True, False]))


def test_the_setting_has_the_power_of_the_test_that_it_was_taken_from() -> None:
    """The people that were observed, planned for: as likely as Student's t says, around the statistic of their test.

    Genuine trials of a client go together far more than impostor trials do.
    """
    rng = np.random.default_rng(7)
    clients, impostors, attempts = 300, 40, 3
    claim = np.concatenate([np.repeat(np.arange(clients), attempts), np.repeat(np.arange(clients), impostors)])
    genuine = np.arange(len(claim)) < clients * attempts
    subject = np.where(genuine, claim, 1000 + np.tile(np.arange(impostors), len(claim) // impostors + 1)[: len(claim)])
    genuine_effect, impostor_effect = 1.2 * rng.normal(size=(clients, 2)), 0.15 * rng.normal(size=(clients, 2))
    people = np.where(genuine[:, None], genuine_effect[claim], impostor_effect[claim])
    scores = 2.0 * genuine[:, None] + people + rng.normal(size=(len(claim), 2)) + [0.0, 0.6] * genuine[:, None]
    trials = Trials.from_arrays(scores, genuine, systems=["a", "b"], claim=claim, subject=subject)
    sets = TrialSets(None, trials)
    both = pair_judgements(*(judge_at(sets, 1.0, system=name) for name in ("a", "b")))
    test, seen = leading_test(both, threshold="fixed"), observed_setting(both)
    plan = seen.plan(individuals=seen.individuals, data_sets=0)
    assert 0.2 < plan.power < 0.95
    assert plan.power == pytest.approx(norm.cdf(abs(test.statistic) - 1.96), abs=0.02)
