"""Two systems, and how many people would settle it."""

from pathlib import Path

import pytest

from explorer.opened import read_data, write_sets
from fairtrial import plan_comparison
from fairtrial.explorer.answers import Answer
from fairtrial.explorer.data import Data
from fairtrial.explorer.questions.comparing import CompareQuestion, PlanQuestion


def asked(question: type[CompareQuestion | PlanQuestion], data: Data) -> Answer:
    given = {"a": "face", "b": "gait", "point": {"criterion": "eer"}}
    return question.of(given).answer(data, lambda share: None)


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_sets(tmp_path_factory.mktemp("scores"))


def test_a_plan_says_that_it_is_too_small_and_what_half_of_the_difference_takes(paths: list[str]) -> None:
    found = asked(PlanQuestion, read_data(paths))
    seen = found.found["observed"]
    names = ("attempts", "impostor_attempts", "impostors", "rho_client", "rho_impostor", "correlation")
    half = tuple((one + other) / 2 for one, other in zip(seen["a"], seen["b"], strict=True))
    plan = plan_comparison(seen["a"], half, **{name: seen[name] for name in names})
    assert "HTER" in found.sentences[0]
    assert "likely too small" in found.sentences[1]
    assert f"If only half of it is real, it takes {plan.individuals} clients." in found.sentences[1]


def test_a_comparison_on_what_thresholds_were_set_on_says_so(paths: list[str]) -> None:
    assert "the thresholds know the answers" not in asked(CompareQuestion, read_data(paths)).sentences[-1]
    same = read_data([paths[0], str(Path(paths[0]))])
    assert "the thresholds know the answers" in asked(CompareQuestion, same).sentences[-1]


def test_trials_that_were_asked_to_be_independent_are_said_to_be(paths: list[str]) -> None:
    found = asked(CompareQuestion, read_data(paths, cluster="none")).sentences[-1]
    assert "all trials are independent, as was asked for;" in found
    assert "nothing tells" not in found


@pytest.mark.parametrize(("measure", "chosen"), [("f1", "thresholds"), ("cllr", "calibrations")])
def test_a_comparison_says_what_came_from_dev(paths: list[str], measure: str, chosen: str) -> None:
    given = {"a": "face", "b": "gait", "point": {"criterion": "eer"}, "measure": measure}
    found = CompareQuestion.of(given).answer(read_data(paths), lambda share: None)
    assert f"the dev trials that the {chosen} come from were a sample, too" in found.sentences[-1]
