"""All intervals of one test: notes, bounds without errors and recommendations."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fairtrial import ParameterError
from fairtrial.individuals.attempts import Individuals
from fairtrial.individuals.beta_binomial import fit_beta_binomial
from fairtrial.individuals.limits import INDIVIDUALS_METHODS
from fairtrial.individuals.methods import REPEATED_METHODS
from fairtrial.individuals.repeated import recommend, repeated_intervals
from reference import individuals_2004 as reference

EXAMPLE = Individuals.from_counts(reference.EXAMPLE.errors, reference.EXAMPLE.attempts)


def notes(errors: list[int], attempts: int) -> dict[str, str]:
    found = repeated_intervals(Individuals.from_counts(errors, attempts), n_resamples=None)
    return {name: each.note for name, each in found.methods.items()}


def test_every_interval_is_that_of_its_method() -> None:
    found = repeated_intervals(EXAMPLE, confidence=0.9, n_resamples=500, rng=3)
    assert list(found.methods) == ["dr", "bp", "sb", "bb", "lbb", "brr", "bb-ml"]
    for name, method in INDIVIDUALS_METHODS.items():
        expected = method(EXAMPLE, confidence=0.9, n_resamples=500, rng=3)
        assert found.methods[name].interval == pytest.approx(expected)
        assert found.methods[name].confidence == 0.9
    assert found.methods["bb-ml"].interval == pytest.approx(fit_beta_binomial(EXAMPLE).interval(0.9))
    assert (found.estimate, found.individuals, found.attempts, found.errors) == (0.18, 10, 50, 9)
    assert found.rho == pytest.approx(reference.EXAMPLE.rho)
    assert found.zero_errors is None


def test_infinitely_many_resamples_of_the_example() -> None:
    found = repeated_intervals(EXAMPLE, methods=["sb", "brr"], n_resamples=None)
    assert list(found.methods) == ["sb", "brr"]
    assert found.methods["sb"].interval == pytest.approx(reference.EXAMPLE.limits["sb"])
    assert found.methods["brr"].interval == pytest.approx(reference.EXAMPLE.limits["brr"])


def test_doddington_is_of_90_percent_whatever_is_asked() -> None:
    found = repeated_intervals(EXAMPLE, confidence=0.99).methods
    assert found["dr"].confidence == 0.9
    assert "90 % whatever confidence is asked for" in found["dr"].note
    assert found["lbb"].confidence == 0.99


def test_names_of_the_json() -> None:
    found = json.loads(json.dumps(repeated_intervals(EXAMPLE).to_dict()))
    names = {"estimate", "rho", "rho_interval", "individuals", "attempts", "errors", "methods", "recommendation"}
    assert set(found) == names
    assert set(found["rho_interval"]) == {"low", "high", "confidence"}
    assert set(found["methods"]) == set(REPEATED_METHODS)
    assert set(found["methods"]["lbb"]) == {"low", "high", "confidence", "note"}


def test_notes_on_few_errors() -> None:
    few = notes([1, 0, 0, 0, 2, 0], 10)
    assert few["lbb"] == "only 3 errors"
    assert "meant for 30 errors and more; here there are 3" in few["dr"]
    assert notes([1, 0, 0, 0], 10)["lbb"] == "only 1 error"
    many = notes([5, 9, 6, 9, 0, 2], 10)
    assert many["lbb"] == ""
    assert many["dr"] == "90 % whatever confidence is asked for"


def test_notes_without_errors() -> None:
    found = notes([0, 0, 0], 5)
    for name in ("lbb", "bb-ml"):
        assert found[name] == "undefined without errors"
    for name in ("bp", "sb", "bb", "brr"):
        assert found[name] == "zero width: no error"
    assert found["dr"].startswith("zero width: no error; ")


def test_notes_where_everything_is_an_error() -> None:
    found = notes([5] * 4, 5)
    for name in ("lbb", "bb-ml"):
        assert found[name] == "undefined where all attempts are errors"
    for name in ("bp", "bb"):
        assert found[name] == "zero width: all people have the same rate"


def test_notes_where_all_people_have_the_same_rate() -> None:
    found = notes([4] * 5, 8)
    for name in ("bp", "bb", "lbb"):
        assert found[name] == "zero width: all people have the same rate"
    for name in ("sb", "brr", "bb-ml"):
        assert found[name] == ""


def test_notes_where_replicates_cannot_differ() -> None:
    # everybody errs always or never: rates differ, but what is drawn within a person does not
    found = notes([5, 0, 0, 5, 0], 5)
    for name in ("sb", "brr"):
        assert found[name] == "zero width: nearly all replicates are the same"
    for name in ("bp", "bb", "lbb", "bb-ml"):
        assert found[name] == ""


def test_bounds_without_errors_against_rules_and_scipy() -> None:
    found = repeated_intervals(Individuals.from_counts([0] * 40, 25)).zero_errors
    assert found is not None
    assert found.rule_of_three == pytest.approx(3 / 1000)
    assert found.rule_of_three_individuals == pytest.approx(3 / 40)
    # Jeffreys' posterior, one-sided
    assert found.bayes == pytest.approx(stats.beta(0.5, 1000.5).ppf(0.95))
    assert found.bayes_individuals == pytest.approx(stats.beta(0.5, 40.5).ppf(0.95))
    # no error among n attempts: Clopper-Pearson's upper bound on one side
    assert found.exact == pytest.approx(stats.beta(1, 1000).ppf(0.95))
    assert found.exact_individuals == pytest.approx(stats.beta(1, 40).ppf(0.95))
    kinds = ("rule_of_3", "exact", "bayes")
    assert set(found.to_dict()) == {*kinds, *(f"{kind}_individuals" for kind in kinds), "confidence"}
    other = repeated_intervals(Individuals.from_counts([0] * 40, 25), confidence=0.99).zero_errors
    assert other is not None
    assert other.bayes == pytest.approx(stats.beta(0.5, 1000.5).ppf(0.99))
    low = repeated_intervals(Individuals.from_counts([0, 0], 2), confidence=0.4)
    assert low.zero_errors is not None
    assert low.zero_errors.rule_of_three_individuals == 1
    assert np.isnan(low.zero_errors.bayes)
    assert "zero_errors" in low.to_dict()


def test_rule_of_three_over_individuals_holds_whatever_the_correlation() -> None:
    # no error of anybody is at most as probable as none in everybody's first attempt
    n = 40
    for m in (1, 5, 30):
        for theta in (1e-6, 0.1, 1.0, 1e6):
            pi = 3 / n
            nobody = stats.betabinom(m, pi / theta, (1 - pi) / theta).pmf(0) ** n
            assert nobody <= 0.05


@pytest.mark.parametrize(
    ("errors", "attempts", "words", "others"),
    [
        ([0] * 30, 5, ["No errors", "exact upper bound"], ["Use lbb"]),
        ([5] * 30, 5, ["Nothing but errors"], ["Use lbb"]),
        ([1, 0, 0, 1, 0] * 20, 2, ["Use lbb.", "10 and more"], ["with care"]),  # n pi 20
        ([1, 0, 0, 0, 0] * 14, 2, ["Use lbb.", "from 5 to 10"], ["with care"]),  # n pi 7
        ([5] + [0] * 24, 5, ["with care", "from 1 to 5", "study_like"], ["brr", "--like"]),  # n pi 1, rho 1
        ([1, 0, 0, 0, 0] * 20, 10, ["Use lbb.", "rho below 0.1"], ["care"]),  # n pi 2, rho < 0
        ([4] + [0] * 19, 5, ["brr may be preferable", "rho is large (above 0.4)"], ["Use lbb"]),  # n pi .8, rho .8
        ([1, 1, 1, 1] + [0] * 16, 5, ["relied on blindly"], ["Use lbb", "preferable"]),  # n pi .8, rho < 0
        ([0] + [5] * 24, 5, ["with care"], []),  # 1 success expected is as few as 1 error
    ],
)
def test_recommendations_against_section_5_of_schuckers_2004(
    errors: list[int], attempts: int, words: list[str], others: list[str]
) -> None:
    people = Individuals.from_counts(errors, attempts)
    found = recommend(people)
    assert repeated_intervals(people).recommendation == found
    for word in words:
        assert word in found
    for word in others:
        assert word not in found


def test_the_same_seed_gives_the_same_limits() -> None:
    people = Individuals.from_counts([1, 3, 5, 2, 0, 7] * 20, 11)
    first, same, other = (repeated_intervals(people, methods=["sb"], rng=seed) for seed in (1, 1, 2))
    assert first == same
    assert first != other


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["bp", "wald"]}, "method must be one of dr, bp, sb, bb, lbb, brr, bb-ml, not 'wald'"),
        ({"confidence": 1.0}, "confidence must be between 0 and 1"),
        ({"n_resamples": 0}, "at least one resample, not 0"),
        ({"n_resamples": -3, "methods": ["dr"]}, "at least one resample, not -3"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        repeated_intervals(EXAMPLE, **options)


def test_many_data_sets_are_an_error() -> None:
    with pytest.raises(ParameterError, match=r"data set.*several at once"):
        repeated_intervals(Individuals(np.arange(2.0), np.ones(2), np.ones((3, 2))))


def test_a_method_says_itself_what_is_to_be_known_of_it() -> None:
    people = Individuals.from_counts([0, 1, 0, 2, 0, 1], 4)
    for name, method in REPEATED_METHODS.items():
        first, second = (method(people, n_resamples=30, rng=seed) for seed in (0, 1))
        assert method.name == name
        assert (first != second) == method.resamples
        found = repeated_intervals(people, methods=[name], confidence=0.99).methods[name]
        assert found.confidence == (0.99 if method.level is None else method.level)
