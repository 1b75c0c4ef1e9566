"""Arguments that many functions share: what passes, and what the error says."""

import subprocess
import sys

import numpy as np
import pytest

from fairtrial import ParameterError, TrialsError
from fairtrial.core.errors import (
    as_generator,
    check_alphas,
    check_choice,
    check_classes,
    check_confidence,
    check_count,
    check_number,
    check_rate,
    check_resamples,
    check_seed,
    check_share,
    check_workers,
)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 95, float("nan")])
def test_confidence_is_strictly_between_0_and_1(value: float) -> None:
    assert check_confidence(0.95) == 0.95
    with pytest.raises(ParameterError, match=f"confidence must be between 0 and 1, not {value}"):
        check_confidence(value)


def test_a_share_may_be_0_or_1_unless_its_ends_are_open() -> None:
    assert [check_share("rho", value) for value in (0, 0.5, 1)] == [0.0, 0.5, 1.0]
    with pytest.raises(ParameterError, match=r"rho must be between 0 and 1, not 1\.01"):
        check_share("rho", 1.01)
    with pytest.raises(ParameterError, match="power must be between 0 and 1, not 1"):
        check_share("power", 1, open_ends=True)
    for wrong in ("a", np.array([0.1, 0.2])):
        with pytest.raises(ParameterError, match="rho must be one number between 0 and 1"):
            check_share("rho", wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1, 2.5, True])
def test_resamples_and_workers_are_whole_and_at_least_one(value: int) -> None:
    assert (check_resamples(1), check_workers(np.int64(3))) == (1, 3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=f"there must be at least one resample, not {value}"):
        check_resamples(value)
    with pytest.raises(ParameterError, match=f"there must be at least one worker, not {value}"):
        check_workers(value)


@pytest.mark.parametrize("value", [-1, 0.5, float("nan"), float("inf"), "1", None])
def test_a_count_is_a_whole_number_of_at_least_0(value: float) -> None:
    assert [check_count("errors", count) for count in (0, 7, 12.0)] == [0, 7, 12]
    with pytest.raises(ParameterError, match=f"errors must be a whole number of at least 0, not {value}"):
        check_count("errors", value)


@pytest.mark.parametrize("value", [-1, 0.5, "1"])
def test_a_seed_is_a_whole_number_of_at_least_0(value: int) -> None:
    assert check_seed(0) == 0
    for check in (check_seed, as_generator):
        with pytest.raises(ParameterError, match=f"a seed must be a whole number of at least 0, not {value}"):
            check(value)


def test_generators_repeat_with_a_seed_and_are_taken_as_they_are() -> None:
    own = np.random.default_rng(5)
    assert as_generator(own) is own
    assert as_generator(7).random() == np.random.default_rng(7).random()
    assert as_generator(None).random() != as_generator(None).random()


def test_a_choice_names_the_choices() -> None:
    check_choice("method", "a", ("a", "b"))
    for wrong in ("c", None, ["a"]):
        with pytest.raises(ParameterError, match="method must be one of a, b, not "):
            check_choice("method", wrong, ("a", "b"))


def test_alphas_are_numbers_between_0_and_1() -> None:
    assert check_alphas(0.5).tolist() == [0.5]
    assert check_alphas([0, 1]).tolist() == [0.0, 1.0]
    for wrong, words in (
        ([0.5, 1.5], "between 0 and 1, not 1.5"),
        (float("nan"), "between 0 and 1, not nan"),
        ([], "one-dimensional"),
        ([[0.5]], "one-dimensional"),
        ("much", "must be a number"),
    ):
        with pytest.raises(ParameterError, match=words):
            check_alphas(wrong)


def test_checks_and_the_help_of_the_command_line_do_without_numpy() -> None:
    code = (
        "import sys, fairtrial.core.errors\n"
        "from fairtrial.cli.app import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_numbers_that_nobody_can_wait_for() -> None:
    assert (check_number("bin", 10**6), check_workers(1024), check_count("b", 2**53)) == (10**6, 1024, 2**53)
    with pytest.raises(ParameterError, match="there can be at most 1,000,000 bins, not 1,000,001"):
        check_number("bin", 10**6 + 1)
    with pytest.raises(ParameterError, match="there can be at most 1,024 workers, not 1,000,000"):
        check_workers(10**6)
    with pytest.raises(ParameterError, match="b must be at most 9,007,199,254,740,992, which a 64-bit float can"):
        check_count("b", 2**53 + 1)


def test_a_rate_is_a_fraction_and_the_error_says_how_percent_are_given() -> None:
    assert (check_rate("pi", 0), check_rate("pi", 0.015, open_ends=True)) == (0.0, 0.015)
    for rate, open_ends in ((1.5, False), (-0.1, False), (float("nan"), False), (0.0, True), (1.0, True)):
        with pytest.raises(ParameterError, match=r"pi must be a fraction .*; 1\.5 % is 0\.015"):
            check_rate("pi", rate, open_ends=open_ends)


def test_both_classes_must_have_trials() -> None:
    check_classes(1, 1, "dev")
    with pytest.raises(TrialsError, match=r"^dev: there is no impostor trial; error rates need both classes$"):
        check_classes(1, 0, "dev")
