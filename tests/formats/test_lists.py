"""Two lists, told apart by their names, with what their columns hold told by their lines or by the caller."""

from pathlib import Path
from typing import Any

import pytest

from fairtrial.core.errors import FairtrialError
from fairtrial.core.trials import Trials
from fairtrial.formats.read import read_trials


def read(
    folder: Path, genuine: str, impostor: str, names: tuple[str, str] = ("gen.txt", "imp.txt"), **o: Any
) -> Trials:
    for name, text in zip(names, (genuine, impostor), strict=True):
        (folder / name).write_text(text)
    return read_trials([folder / name for name in names], **o)


def test_bob_lines_in_two_lists(tmp_path: Path) -> None:
    trials = read(tmp_path, "a a p1 .9\nb b p2 .8\n", "a b p2 .1\nb a p1 .2\n")
    assert trials.scores.tolist() == [[0.9], [0.8], [0.1], [0.2]]
    assert trials.ids["claim"].decode().tolist() == ["a", "b", "a", "b"]
    assert trials.ids["probe"].decode().tolist() == ["p1", "p2", "p2", "p1"]
    assert "claim subject probe score; genuine gen.txt, impostor imp.txt" in str(trials.notes[0])


def test_rows_that_contradict_are_told_with_their_files(tmp_path: Path) -> None:
    with pytest.raises(FairtrialError) as caught:
        read(tmp_path, "a a p1 .9\na b p2 .8\nb a p3 .8\n", "a b p2 .1\nb b p1 .2\n")
    assert "gen.txt, row 2: the label says genuine" in str(caught.value)
    assert f"as in rows 3, 2 of {tmp_path / 'imp.txt'};" in str(caught.value)


def test_numeric_probes_are_not_a_system(tmp_path: Path) -> None:
    files = ("a a 1 .9\nb b 2 .8\n", "a b 2 .1\nb a 1 .2\n")
    with pytest.raises(FairtrialError) as caught:
        read(tmp_path, *files)
    assert "gen.txt: column 3 may hold probes or scores" in str(caught.value)
    assert '"probe": "3", "score": "4"}' in str(caught.value)
    told = {"claim": "1", "subject": "2", "probe": "3", "score": "4"}
    trials = read(tmp_path, *files, columns=told)
    assert trials.scores.tolist() == [[0.9], [0.8], [0.1], [0.2]]
    assert trials.ids["probe"].decode().tolist() == ["1", "2", "2", "1"]
    two = read(tmp_path, *files, columns={"subject": "1", "claim": "2"}, scores=("3", "4"))
    assert two.scores.tolist() == [[1, 0.9], [2, 0.8], [2, 0.1], [1, 0.2]]


def test_columns_that_are_not_there_or_not_told_are_refused(tmp_path: Path) -> None:
    files = ("a a 1 .9\n", "a b 2 .1\n")
    for columns, words in (
        ({"probe": "5"}, "there is no column '5'"),
        ({"probe": "third"}, "columns have no names here, but numbers from 1 to 4"),
        ({"claim": "1", "score": "1"}, "given two roles"),
        ({"claim": "1"}, "say what each of them holds"),
        ({"label": "1"}, "no column in the role label"),
    ):
        with pytest.raises(FairtrialError, match=words):
            read(tmp_path, *files, columns=columns)


def test_scores_of_two_systems_are_still_told(tmp_path: Path) -> None:
    trials = read(tmp_path, "3 3 1.5 1.25\n4 4 1.75 2\n", "0 3 -.5 -.25\n0 4 1 0.5\n")
    assert trials.systems == ("system 1", "system 2")
    assert trials.ids["subject"].decode().tolist() == ["3", "4", "0", "0"]


@pytest.mark.parametrize(
    "names",
    [
        ("genuiniFile", "impostoriFile"),
        ("genuineScores.txt", "impostorScores.txt"),
        ("x-clients.dat", "x-impostors.dat"),
    ],
)
def test_names_that_say_which_is_which(tmp_path: Path, names: tuple[str, str]) -> None:
    assert read(tmp_path, "1\n2\n", "0\n", names).genuine.tolist() == [True, True, False]


def test_names_that_say_nothing_are_refused_for_that_reason(tmp_path: Path) -> None:
    with pytest.raises(FairtrialError, match=r"a.txt: holds scores without labels; give it with its other half"):
        read(tmp_path, "1\n2\n", "0\n", ("a.txt", "b.txt"))


def test_a_line_of_prose_is_not_a_bob_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("100_1.dat - 100_2.dat: 66.46\n100_1.dat - 101_1.dat: 3.5\n")
    for name in (None, "bob4"):
        with pytest.raises(FairtrialError, match=r"a.txt: .*100_1.dat - 100_2.dat: 66.46"):
            read_trials(tmp_path / "a.txt", format=name)


@pytest.mark.parametrize(
    "names",
    [
        ("gen.aa", "gen.ab", "imp.aa", "imp.ab"),
        ("gen.part1", "gen.part2", "imp.txt", "imp-2.txt"),
        ("face-gen-1.csv", "face-gen-2.txt", "face-imp-1.txt.aa", "face-imp-1.txt.ab"),
    ],
)
def test_pieces_of_lists(tmp_path: Path, names: tuple[str, ...]) -> None:
    for k, name in enumerate(names):
        (tmp_path / name).write_text(f"0.{k}\n")
    trials = read_trials([tmp_path / name for name in names])
    assert trials.genuine.tolist() == [True, True, False, False]
    assert trials.scores[:, 0].tolist() == [0.0, 0.1, 0.2, 0.3]


def test_two_systems_in_pieces(tmp_path: Path) -> None:
    for system, shift in (("face", 0), ("voice", 5)):
        for k in (1, 2):
            (tmp_path / f"gen-{system}-{k}").write_text(f"a{k} a{k} {shift + k}.5\n")
            (tmp_path / f"imp-{system}-{k}").write_text(f"a{k} b {shift - k}.5\n")
    trials = read_trials(tmp_path / "*-*")
    assert trials.systems == ("face", "voice")
    assert trials.genuine.tolist() == [True, True, False, False]
    assert trials.scores.tolist() == [[1.5, 6.5], [2.5, 7.5], [-1.5, 4.5], [-2.5, 3.5]]


def test_files_with_the_same_systems_are_told_apart(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.csv").write_text("claim,subject,probe,face,voice\na,a,p,.9,.8\na,b,q,.1,.2\n")
    trials = read_trials([tmp_path / "first.csv", tmp_path / "second.csv"])
    assert trials.systems == ("first/face", "first/voice", "second/face", "second/voice")


def test_a_column_that_holds_no_scores_is_no_system(tmp_path: Path) -> None:
    (tmp_path / "gen.txt").write_text("a 0.9 7\nb 0.8 8\n")
    (tmp_path / "imp.txt").write_text("a 0.1 9\nb 0.2 6\n")
    paths = [tmp_path / "gen.txt", tmp_path / "imp.txt"]
    trials = read_trials(paths, columns={"subject": 1, "score": 2, "other": 3})
    assert trials.systems == ("system",)
    assert trials.scores[:, 0].tolist() == [0.9, 0.8, 0.1, 0.2]
