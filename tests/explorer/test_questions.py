"""Questions, and the command and the lines of Python that stand beside an answer and give the same answer."""

import csv
import json
import shlex
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from explorer.browsing import answer_of, write_scores
from explorer.opened import answer_to, read_data, write_sets
from fairtrial import ParameterError, TrialsError, plan_comparison
from fairtrial.cli.app import main
from fairtrial.core.tables import json_text
from fairtrial.core.words import use_distances, wording
from fairtrial.explorer.answers import Repeated
from fairtrial.explorer.data import Data, Reading
from fairtrial.explorer.files import OpenFiles
from fairtrial.explorer.forms import as_on_page
from fairtrial.explorer.questions import QUESTIONS

FAR = {"criterion": "far", "alpha": 0.05}
AT = {"threshold": 0.75}
EQUAL = {"criterion": "wer-equal", "alpha": 0.5}
WEIGHT = {"criterion": "wer-min", "alpha": 1 / 3}
ASKED: dict[str, dict[str, Any]] = {
    "evaluate": {"question": "evaluate", **WEIGHT},
    "evaluate some": {"question": "evaluate", **FAR, "systems": ["voice", "gait"], "confidence": 0.9},
    "evaluate at": {"question": "evaluate", **AT, "systems": ["face", "gait"]},
    "curves": {"question": "curves", "systems": ["face", "voice"]},
    "curves at once": {"question": "curves", "systems": ["face"], "bands": "simultaneous", "confidence": 0.9},
    "regions": {"question": "regions", "systems": ["face", "gait"]},
    "compare": {"question": "compare", "systems": ["face", "gait"], **WEIGHT},
    "compare f1": {"question": "compare", "systems": ["gait", "face"], **FAR, "measure": "f1", "confidence": 0.9},
    "plan": {"question": "plan", "systems": ["face", "gait"], **WEIGHT, "power": 0.9},
    "fuse": {"question": "fuse", "systems": ["face", "gait"], "fusion": "logistic", "normalise": "z", **WEIGHT},
    "fuse all": {"question": "fuse", "systems": ["face", "voice", "gait"], "fusion": "mean", **EQUAL},
    "groups": {"question": "groups", "system": "voice", "by": ["device"], **WEIGHT},
    "calibrate": {"question": "calibrate", "systems": ["face", "voice"]},
    "calibrate gaussian": {"question": "calibrate", "systems": ["gait"], "method": "gaussian", "confidence": 0.9},
}
CASES = [
    *((what, "plain") for what in ASKED),
    *(
        (what, "odd")
        for what in ("evaluate some", "evaluate at", "curves", "compare f1", "fuse", "groups", "calibrate gaussian")
    ),
    *((what, "folds") for what in ("evaluate", "curves", "regions", "compare", "groups", "calibrate gaussian")),
]
READ: dict[str, dict[str, Any]] = {
    "plain": {},
    "odd": {"roles": {"score": ["gait", "voice", "face"]}, "negate": ["voice"], "cluster": "claim", "seed": 3},
    "folds": {"folds": 4, "seed": 2},
}


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Data]:
    """The same files, read in several ways."""
    paths = write_sets(tmp_path_factory.mktemp("scores"))
    return {name: read_data(paths[: 1 if "folds" in given else 2], **given) for name, given in READ.items()}


@pytest.mark.parametrize("name", [name for name, question in QUESTIONS.items() if "system" in question.fields])
def test_questions_about_one_system_ask_which(name: str, read: dict[str, Data]) -> None:
    data = next(iter(read.values()))
    with pytest.raises(ParameterError) as caught:
        QUESTIONS[name].of(data, {})
    assert caught.value.code == "several-systems"


def plain(value: Any) -> Any:
    """As JSON has it."""
    return json.loads(json_text(value))


def holds(more: Any, less: Any) -> bool:
    """Whether all numbers of the second are in the first, which may have more; notes tell of what else was read."""
    if isinstance(less, dict):
        return isinstance(more, dict) and all(
            name in more and holds(more[name], part) for name, part in less.items() if name != "notes"
        )
    if isinstance(less, list):
        return isinstance(more, list) and len(more) == len(less) and all(map(holds, more, less))
    if isinstance(less, float) and isinstance(more, float):
        return isclose(more, less, rel_tol=1e-12)  # sums over other strides of memory
    return bool(more == less)


def printed(lines: str) -> list[Any]:
    """What some lines of Python print, before it becomes text."""
    printed: list[Any] = []
    exec(lines, {"print": printed.append})
    return printed


@pytest.mark.parametrize(("what", "how"), CASES)
def test_the_same_once_more(read: dict[str, Data], what: str, how: str) -> None:
    asked, data = ASKED[what], read[how]
    question = QUESTIONS[asked["question"]]
    use_distances(data.distances)
    given = question.of(data, asked)
    answer = plain(question.answer(given, lambda done: None).result)
    repeated = question.repeated(given)
    result = CliRunner().invoke(main, [*repeated.words, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert holds(json.loads(result.stdout), {name: part for name, part in answer.items() if name != "observed"})
    (one,) = printed(repeated.python)
    assert holds(answer, plain(one.to_json()))


@pytest.mark.parametrize(
    ("how", "kind", "point"),
    [
        ("plain", "all", WEIGHT),
        ("odd", "false accepts", FAR),
        ("folds", "false rejects", WEIGHT),
        ("plain", "all", AT),
        ("folds", "false accepts", AT),
    ],
)
def test_the_same_errors(
    read: dict[str, Data], how: str, kind: str, point: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = read[how]
    question = QUESTIONS["errors"]
    use_distances(data.distances)
    asked = question.of(data, {"system": "voice", **point, "errors": kind})
    table = question.answer(asked, lambda done: None).tables[0]
    keys = [column.key for column in table.columns]
    listed = sorted(
        tuple(row[keys.index(name)] for name in ("error", "claim", "subject", "score")) for row in table.rows
    )
    assert listed
    repeated = question.repeated(asked)
    lists = [printed(repeated.python)]
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, list(repeated.words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    with open("decisions.csv", newline="") as file:
        lists.append([row for row in csv.DictReader(file) if row["error"] and kind in ("all", f"{row['error']}s")])
    for errors in lists:
        assert listed == sorted((row["error"], row["claim"], row["subject"], float(row["score"])) for row in errors)


@pytest.mark.parametrize(
    ("by", "shows", "point"), [("claim", "scores", FAR), ("subject", "errors", WEIGHT), ("claim", "errors", AT)]
)
def test_the_same_zoo(
    by: str, shows: str, point: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = read_data([str(write_scores(tmp_path / f"{name}.csv", seed)) for seed, name in enumerate(("dev", "test"))])
    question = QUESTIONS["zoo"]
    asked = question.of(data, {"system": "voice", **point, "by": by, "shows": shows})
    people = question.answer(asked, lambda done: None).result["people"]
    repeated = question.repeated(asked)
    exec(repeated.python, known := {"zoo": None})
    zoo: Any = known["zoo"]
    assert [person["person"] for person in people] == list(zoo.names)
    for name in ("genuine", "impostor"):
        assert [person[name] for person in people] == getattr(zoo, name).tolist()
    if point is AT:
        assert repeated.words == ()
        return
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, list(repeated.words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert Path("zoo.png").read_bytes().startswith(b"\x89PNG")


def test_a_threshold_of_distances_is_that_of_their_files(read: dict[str, Data]) -> None:
    question, data = QUESTIONS["evaluate"], read["odd"]
    given = {"threshold": -0.75, "systems": ["voice"]}
    answer = answer_to("evaluate", data, **given)
    repeated = question.repeated(question.of(data, given))
    assert repeated.words[repeated.words.index("--threshold") + 1] == "-0.75"
    result = CliRunner().invoke(main, [*repeated.words, "--json"], catch_exceptions=False)
    assert json.loads(result.stdout) == plain(answer.result)
    at, (system,) = data.at(["voice"], {"threshold": -0.75})["systems"]["voice"], plain(answer.result)["systems"]
    assert (at["threshold"], system["threshold"]) == (-0.75, -0.75)
    assert at["false_accepts"] == np.sum(data.test.column("voice")[~data.test.genuine] > 0.75)
    (chosen,) = plain(answer_to("evaluate", data, systems=["voice"]).result)["systems"]
    assert data.track(["voice"], "eer")["systems"]["voice"]["threshold"] == [chosen["threshold"]]
    listed = answer_to("errors", data, system="voice", **AT).tables[0]
    assert set(listed.column("threshold")) == {0.75}
    with pytest.raises(ParameterError) as caught:
        question.of(data, {**AT, "systems": ["voice", "gait"]})
    assert caught.value.code == "scores-and-distances"


def test_warnings_stand_by_themselves_in_the_words_of_the_page(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path), distances=True)
    asked: dict[str, Any] = {"systems": ["face", "gait"]}
    for name, given in (("evaluate", asked), ("compare", asked), ("errors", {"system": "face"})):
        with wording(style=as_on_page):
            answer = answer_to(name, data, **given)
            shown = answer.to_dict()
        texts = [warning["text"] for warning in shown["warnings"] if warning["code"] == "reversed-scores"]
        assert texts, name
        assert texts[0].endswith("read similarities without “lower means genuine”")
        assert not set(texts) & set(shown["notes"])
        if "answer" in answer.result:
            assert "--negate" in json_text(answer.result)


def test_warnings_of_targets_that_nobody_asked_for_stay_with_their_table(tmp_path: Path) -> None:
    answer = answer_to("compare", read_data(write_sets(tmp_path)), systems=["face", "voice"]).to_dict()
    few = "too few false accepts on dev at target FAR"
    assert not any(few in warning["text"] for warning in answer["warnings"])
    assert any(few in note for note in answer["notes"])


def test_folds_at_a_threshold_are_all_trials_at_it(read: dict[str, Data]) -> None:
    question = QUESTIONS["evaluate"]
    asked = question.of(read["folds"], {**AT, "systems": ["face", "gait"]})
    answer = plain(question.answer(asked, lambda done: None).result)
    (evaluation,) = printed(question.repeated(asked).python)
    for system, known in zip(answer["systems"], plain(evaluation.to_dict())["systems"], strict=True):
        assert holds(system["test"], known["test"])


def with_people(folder: Path, person: str) -> Data:
    paths = write_sets(folder)
    trials = read_data(paths).test
    people = sorted({*trials.ids["claim"].decode(), *trials.ids["subject"].decode()})
    table = folder / "people.csv"
    table.write_text(f"{person},sex\n" + "".join(f"{name},{'fm'[k % 2]}\n" for k, name in enumerate(people)))
    reading = Reading.of({"dev": ["f1"], "test": ["f2"], "people": "f3"})
    files = reading.files(OpenFiles(map(Path, [*paths, str(table)])))
    return Data(reading.read(files, None), reading, files)


@pytest.mark.parametrize("person", ["person", "id"])
def test_the_same_groups_of_people(tmp_path: Path, person: str) -> None:
    data, question = with_people(tmp_path, person), QUESTIONS["groups"]
    assert data.people_columns == ("sex",)
    asked = question.of(data, {"system": "face", "by": ["sex"]})
    groups = plain(question.answer(asked, lambda done: None).result["groups"])
    repeated = question.repeated(asked)
    assert answer_of(*repeated.words)["groups"] == groups
    (result,) = printed(repeated.python)
    assert plain(result.to_dict()["groups"]) == groups


@pytest.mark.parametrize("name", ["compare", "fuse", "groups"])
def test_questions_that_choose_a_threshold_on_dev_take_none(name: str, read: dict[str, Data]) -> None:
    question = QUESTIONS[name]
    given = {field["name"]: field["default"] for field in question.form(read["plain"])}
    with pytest.raises(ParameterError) as caught:
        question.of(read["plain"], {**given, **AT})
    assert caught.value.code == "needs-rule"


def test_groups_need_a_column_of_few_values(tmp_path: Path) -> None:
    assert read_data(write_sets(tmp_path)).group_columns == ("device", "claim", "subject")
    (tmp_path / "many").mkdir()
    paths = [tmp_path / "many" / name for name in ("dev.csv", "test.csv")]
    for path in paths:
        rows = (f"p{k},{word},{(k + (word == 'genuine')) % 7}" for k in range(101) for word in ("genuine", "impostor"))
        path.write_text("\n".join(["claim,label,face", *rows]) + "\n")
    data = read_data(list(map(str, paths)))
    assert data.group_columns == ()
    assert "No column makes groups" in QUESTIONS["groups"].refusal(data)


@pytest.mark.parametrize("name", ["fuse", "zoo"])
def test_questions_that_need_a_test_set_say_so_beforehand(read: dict[str, Data], name: str) -> None:
    assert "test set" in QUESTIONS[name].refusal(read["folds"])
    assert QUESTIONS[name].refusal(read["plain"]) == ""
    with pytest.raises(TrialsError) as caught:
        QUESTIONS[name].of(read["folds"], {})
    assert caught.value.code == "not-applicable"


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_every_form_can_be_asked_as_it_opens(read: dict[str, Data], name: str) -> None:
    question, data = QUESTIONS[name], read["plain"]
    given = {field["name"]: field["default"] for field in question.form(data)}
    two = {"systems": ["face", "gait"]} if name in ("regions", "plan") else {}
    assert question.answer(question.of(data, {**given, **two}), lambda done: None).sentences


def test_a_plan_says_what_half_of_the_difference_takes(read: dict[str, Data]) -> None:
    answer = answer_to("plan", read["plain"], systems=["face", "gait"])
    seen = answer.result["observed"]
    names = ("attempts", "impostor_attempts", "impostors", "rho_client", "rho_impostor", "correlation")
    half = tuple((one + other) / 2 for one, other in zip(seen["a"], seen["b"], strict=True))
    plan = plan_comparison(seen["a"], half, **{name: seen[name] for name in names})
    assert f"If only half of it is real, it takes {plan.individuals} clients." in answer.sentences[1]


def test_thresholds_that_saw_the_trials_are_said_with_the_numbers(tmp_path: Path) -> None:
    paths = write_sets(tmp_path)
    two, same = read_data(paths), read_data([paths[0], paths[0]])
    for name in ("evaluate", "compare"):
        codes = [
            [warning["code"] for warning in answer_to(name, data, systems=["face", "gait"]).to_dict()["warnings"]]
            for data in (two, same)
        ]
        assert ["same-trials" in each for each in codes] == [False, True]
    assert "the same trials" in answer_to("compare", same, systems=["face", "gait"]).sentences[-1]
    assert "as was asked for" in answer_to("compare", read_data(paths, cluster="none")).sentences[-1]


def test_commands_survive_the_shell() -> None:
    repeated = Repeated(("evaluate", "--dev", "my scores.csv", "--system", "(a,b) $HOME"), ("x = 1",))
    assert shlex.split(repeated.command) == ["fairtrial", *repeated.words]
    assert repeated.python == "import fairtrial as ft\n\nx = 1\n"
    assert Repeated((), ()).command == ""
