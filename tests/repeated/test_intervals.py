"""All intervals of one test: notes, bounds without errors and recommendations."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fairtrial import ParameterError, Trials
from fairtrial.core.notes import Note
from fairtrial.repeated.attempts import Individuals
from fairtrial.repeated.fits import fit_model
from fairtrial.repeated.intervals import PAPER_METHODS, REPEATED_METHODS, recommend, repeated_intervals
from reference import individuals_2004 as reference

EXAMPLE = Individuals.from_counts(reference.EXAMPLE.errors, reference.EXAMPLE.attempts)


def notes(errors: list[int], attempts: int) -> dict[str, list[str]]:
    """The codes of the notes by method."""
    found = repeated_intervals(Individuals.from_counts(errors, attempts), n_resamples=None)
    return {name: [note.code for note in each.notes] for name, each in found.methods.items()}


def test_every_interval_is_that_of_its_method() -> None:
    found = repeated_intervals(EXAMPLE, confidence=0.9, n_resamples=500, rng=3)
    assert list(found.methods) == ["dr", "bp", "sb", "bb", "lbb", "brr", "bb-ml"]
    for name in PAPER_METHODS:
        expected = REPEATED_METHODS[name].limits(EXAMPLE, confidence=0.9, n_resamples=500, rng=3)
        assert found.methods[name].interval == pytest.approx(expected)
        assert found.methods[name].confidence == 0.9
    assert found.methods["bb-ml"].interval == pytest.approx(fit_model(EXAMPLE).interval(0.9))
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
    note = found["dr"].notes[0]
    assert (note.code, note.values) == ("fixed-level", {"level": 0.9})
    assert found["lbb"].confidence == 0.99


def test_names_of_the_json() -> None:
    found = json.loads(json.dumps(repeated_intervals(EXAMPLE).to_dict()))
    names = {"estimate", "rho", "rho_interval", "individuals", "attempts", "errors", "methods", "recommendation"}
    assert set(found) == {*names, "notes"}
    assert set(found["rho_interval"]) == {"low", "high", "confidence"}
    assert set(found["methods"]) == set(REPEATED_METHODS)
    assert set(found["methods"]["lbb"]) == {"low", "high", "confidence", "note", "notes"}


def test_notes_on_few_errors() -> None:
    few = repeated_intervals(Individuals.from_counts([1, 0, 0, 0, 2, 0], 10), n_resamples=None).methods
    assert [(note.code, note.values) for note in few["lbb"].notes] == [("few-errors", {"errors": 3})]
    assert few["dr"].notes[-1].values == {"least": 30, "errors": 3}
    assert notes([1, 0, 0, 0], 10)["lbb"] == ["few-errors"]
    many = notes([5, 9, 6, 9, 0, 2], 10)
    assert many["lbb"] == []
    assert many["dr"] == ["fixed-level"]


@pytest.mark.parametrize(
    ("errors", "undefined", "zero_width"),
    [
        ([0, 0, 0, 0], {"lbb", "bb-ml"}, {"dr", "bp", "sb", "bb", "brr"}),
        ([5, 5, 5, 5], {"lbb", "bb-ml"}, {"bp", "sb", "bb", "brr"}),
        ([3, 3, 3, 3], set(), {"bp", "bb", "lbb"}),  # all people have the same rate
        ([5, 0, 0, 5], set(), {"sb", "brr"}),  # everybody errs always or never: replicates cannot differ
    ],
)
def test_notes_on_degenerate_intervals(errors: list[int], undefined: set[str], zero_width: set[str]) -> None:
    found = notes(errors, 5)
    assert {name for name, codes in found.items() if "undefined" in codes} == undefined
    assert {name for name, codes in found.items() if "zero-width" in codes} == zero_width


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
    ("errors", "attempts", "code"),
    [
        ([0] * 30, 5, "no-errors"),
        ([5] * 30, 5, "all-errors"),
        ([1, 0, 0, 1, 0] * 20, 2, "use-lbb"),  # n pi 20
        ([1, 0, 0, 0, 0] * 14, 2, "use-lbb"),  # n pi 7
        ([5] + [0] * 24, 5, "use-lbb-with-care"),  # n pi 1, rho 1
        ([1, 0, 0, 0, 0] * 20, 10, "use-lbb"),  # n pi 2, rho < 0
        ([4] + [0] * 19, 5, "unreliable-large-rho"),  # n pi .8, rho .8
        ([1, 1, 1, 1] + [0] * 16, 5, "unreliable"),  # n pi .8, rho < 0
        ([0] + [5] * 24, 5, "use-lbb-with-care"),  # 1 success expected is as few as 1 error
    ],
)
def test_recommendations_against_section_5_of_schuckers_2004(errors: list[int], attempts: int, code: str) -> None:
    people = Individuals.from_counts(errors, attempts)
    found = recommend(people)
    assert repeated_intervals(people).recommendation == found
    assert found.code == code


def test_the_same_seed_gives_the_same_limits() -> None:
    people = Individuals.from_counts([1, 3, 5, 2, 0, 7] * 20, 11)
    first, same, other = (repeated_intervals(people, methods=["sb"], rng=seed) for seed in (1, 1, 2))
    assert first == same
    assert first != other


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["bp", "wald"]}, "method"),
        ({"confidence": 1.0}, "confidence"),
        ({"n_resamples": -3, "methods": ["dr"]}, "resample"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        repeated_intervals(EXAMPLE, **options)


def test_many_data_sets_are_an_error() -> None:
    with pytest.raises(ParameterError) as error:
        repeated_intervals(Individuals(np.arange(2.0), np.ones(2), np.ones((3, 2))))
    assert error.value.code == "several-data-sets"


def test_a_method_says_itself_what_is_to_be_known_of_it() -> None:
    people = Individuals.from_counts([0, 1, 0, 2, 0, 1], 4)
    for name, method in REPEATED_METHODS.items():
        first, second = (method.limits(people, n_resamples=30, rng=seed) for seed in (0, 1))
        assert method.name == name
        assert (first != second) == method.resamples
        found = repeated_intervals(people, methods=[name], confidence=0.99).methods[name]
        assert found.confidence == (0.99 if method.level is None else method.level)


def test_resamples_of_a_method_that_has_none_are_refused() -> None:
    for wrong in ({"n_resamples": 10}, {"rng": 1}):
        with pytest.raises(ParameterError) as error:
            repeated_intervals(EXAMPLE, methods=["lbb", "bp"], **wrong)  # type: ignore[arg-type]
        assert error.value.code == "does-not-apply"


def test_errors_of_trials_against_counts() -> None:
    rng = np.random.default_rng(0)
    claim, subject = np.divmod(np.arange(400), 20)
    trials = Trials.from_arrays(rng.normal(size=400), claim == subject, claim=claim, subject=subject)
    found = repeated_intervals(trials, threshold=1.0, error="far", role="subject", n_resamples=None)
    people = Individuals.from_trials(trials, 1.0, error="far", role="subject")
    assert found.methods == repeated_intervals(people, n_resamples=None).methods
    others = Individuals.from_trials(trials, 1.0, error="far", role="claim")
    assert found.other is not None
    assert found.other.rho == pytest.approx(float(others.rho))
    assert found.other.lbb == repeated_intervals(others, methods=["lbb"]).methods["lbb"]
    assert [note.code for note in found.notes if isinstance(note, Note)] == ["other-role"]
    with pytest.raises(ParameterError) as error:
        repeated_intervals(people, error="far")
    assert error.value.code == "does-not-apply"
