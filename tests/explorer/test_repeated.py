"""The command and the lines of Python that stand beside an answer give the same answer."""

import csv
import json
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from explorer.browsing import write_scores
from explorer.opened import read_data, write_sets
from fairtrial.cli.app import main
from fairtrial.core.tables import json_text
from fairtrial.explorer.data import Data
from fairtrial.explorer.questions import QUESTIONS

FAR = {"criterion": "far", "alpha": 0.05}
AT = {"threshold": 0.75}
EQUAL = {"criterion": "wer-equal", "alpha": 0.5}
WEIGHT = {"criterion": "wer-min", "alpha": 1 / 3}
ASKED: dict[str, dict[str, Any]] = {
    "evaluate": {"question": "evaluate", "point": WEIGHT},
    "evaluate some": {"question": "evaluate", "point": FAR, "systems": ["voice", "gait"], "confidence": 0.9},
    "evaluate at": {"question": "evaluate", "point": AT, "systems": ["face", "gait"]},
    "curves": {"question": "curves", "systems": ["face", "voice"]},
    "curves at once": {"question": "curves", "systems": ["face"], "kind": "simultaneous", "confidence": 0.9},
    "regions": {"question": "regions", "a": "face", "b": "gait"},
    "compare": {"question": "compare", "a": "face", "b": "gait", "point": WEIGHT},
    "compare f1": {"question": "compare", "a": "gait", "b": "face", "point": FAR, "measure": "f1", "confidence": 0.9},
    "plan": {"question": "plan", "a": "face", "b": "gait", "point": WEIGHT, "power": 0.9},
    "fuse": {"question": "fuse", "systems": ["face", "gait"], "fusion": "logistic", "normalise": "z", "point": WEIGHT},
    "fuse all": {"question": "fuse", "systems": ["face", "voice", "gait"], "fusion": "mean", "point": EQUAL},
    "groups": {"question": "groups", "system": "voice", "by": ["device"], "point": WEIGHT},
    "calibrate": {"question": "calibrate", "systems": ["face", "voice"]},
    "calibrate gaussian": {"question": "calibrate", "systems": ["gait"], "method": "gaussian", "confidence": 0.9},
}
CASES = [
    *((what, "plain") for what in ASKED),
    *(
        (what, "odd")
        for what in ("evaluate some", "evaluate at", "curves", "compare f1", "fuse", "groups", "calibrate gaussian")
    ),
    *((what, "folds") for what in ("evaluate", "curves", "regions", "compare")),
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


def plain(found: Any) -> Any:
    """As JSON has it."""
    return json.loads(json_text(found))


def holds(more: Any, less: Any) -> bool:
    """Whether all numbers of the second are in the first, which may have more; notes tell of what else was read."""
    if isinstance(less, dict):
        return isinstance(more, dict) and all(
            name in more and holds(more[name], own) for name, own in less.items() if name != "notes"
        )
    if isinstance(less, list):
        return isinstance(more, list) and len(more) == len(less) and all(map(holds, more, less))
    if isinstance(less, float) and isinstance(more, float):
        return isclose(more, less, rel_tol=1e-12)  # sums over other strides of memory
    return bool(more == less)


def printed(lines: str) -> list[Any]:
    """What some lines of Python print, before it becomes text."""
    found: list[Any] = []
    exec(lines, known := {"print": found.append})
    return found or [known[name] for name in ("curves", "bands") if name in known]


@pytest.mark.parametrize(("what", "how"), CASES)
def test_the_same_once_more(read: dict[str, Data], what: str, how: str) -> None:
    asked, data = ASKED[what], read[how]
    question = QUESTIONS[asked["question"]].of(asked)
    answer = plain(question.answer(data, lambda share: None).found)
    repeated = question.repeated(data)
    if repeated.command:
        result = CliRunner().invoke(main, [*repeated.command, "--json"], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert holds(json.loads(result.stdout), {name: own for name, own in answer.items() if name != "observed"})
    objects = printed(repeated.python)
    if asked["question"] == "curves":
        curves, bands = objects
        for own, curve, band in zip(answer["curves"], curves, bands, strict=True):
            assert holds(own, plain(curve.to_dict()))
            assert holds(own, {**plain(band.to_dict()), "kind": own["kind"]})
        return
    known = [plain(own.to_dict()) for own in objects]
    if asked["question"] == "evaluate" and "systems" not in known[0]:
        assert holds(known, answer["systems"])
    else:
        (one,) = known
        assert holds(answer, {"comparison": one} if asked["question"] == "regions" else one)


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
    question = QUESTIONS["errors"].of({"question": "errors", "system": "voice", "point": point, "kind": kind})
    table = question.answer(data, lambda share: None).tables[0]
    keys = [column.key for column in table.columns]
    listed = sorted(
        tuple(row[keys.index(name)] for name in ("error", "claim", "subject", "score")) for row in table.rows
    )
    assert listed
    repeated = question.repeated(data)
    lists = [printed(repeated.python)]
    if point is AT and how == "folds":
        assert repeated.command == ()
    else:
        monkeypatch.chdir(tmp_path)
        result = CliRunner().invoke(main, list(repeated.command), catch_exceptions=False)
        assert result.exit_code == 0, result.output
        with open("decisions.csv", newline="") as file:
            lists.append([row for row in csv.DictReader(file) if row["error"] and kind in ("all", f"{row['error']}s")])
    for found in lists:
        assert listed == sorted((own["error"], own["claim"], own["subject"], float(own["score"])) for own in found)


@pytest.mark.parametrize(
    ("by", "shows", "point"), [("claim", "scores", FAR), ("subject", "errors", WEIGHT), ("claim", "errors", AT)]
)
def test_the_same_zoo(
    by: str, shows: str, point: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = read_data([str(write_scores(tmp_path / f"{name}.csv", seed)) for seed, name in enumerate(("dev", "test"))])
    question = QUESTIONS["zoo"].of({"question": "zoo", "system": "voice", "point": point, "by": by, "shows": shows})
    people = question.answer(data, lambda share: None).found["people"]
    repeated = question.repeated(data)
    exec(repeated.python, known := {"zoo": None})
    zoo: Any = known["zoo"]
    assert [own["person"] for own in people] == list(zoo.names)
    for name in ("genuine", "impostor"):
        assert [own[name] for own in people] == getattr(zoo, name).tolist()
    if point is AT:
        assert repeated.command == ()
        return
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, list(repeated.command), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert Path("zoo.png").read_bytes().startswith(b"\x89PNG")


def test_folds_at_a_threshold_are_repeated_by_python_only(read: dict[str, Data]) -> None:
    question = QUESTIONS["evaluate"].of({"question": "evaluate", "point": AT, "systems": ["face", "gait"]})
    answer = plain(question.answer(read["folds"], lambda share: None).found)
    repeated = question.repeated(read["folds"])
    assert repeated.command == ()
    intervals = [plain(own.to_dict()) for own in printed(repeated.python)]
    assert holds(intervals, [own["test"]["interval"] for own in answer["systems"]])
