"""What is taken for what: scores, ids, labels and what is kept besides."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairtrial.core.errors import FairtrialError, ParameterError
from fairtrial.core.notes import Note
from fairtrial.core.trials import IdColumn, Ids, Trials
from fairtrial.formats import read_frame
from fairtrial.formats.identities import settle
from fairtrial.formats.read import read_trials, write_trials
from fairtrial.formats.sheets import ReadOptions, Sheet, find_roles


def read(folder: Path, text: str, **options: Any) -> Trials:
    (folder / "a.csv").write_text(text)
    return read_trials(folder / "a.csv", **options)


def refused(folder: Path, text: str, **options: Any) -> str:
    with pytest.raises(FairtrialError) as caught:
        read(folder, text, **options)
    return str(caught.value)


def texts(trials: Trials, name: str) -> list[str]:
    column = trials.columns[name]
    assert not isinstance(column, np.ndarray)
    return [str(cell) for cell in column.decode()]


def table(voice: list[str]) -> str:
    rows = [f"{k % 2},{k / 7:.3f},{cell}" for k, cell in enumerate(voice)]
    return "\n".join(["label,face,voice", *rows]) + "\n"


def test_what_was_taken_for_what_is_the_first_note(tmp_path: Path) -> None:
    text = "# made by hand\nmodel,speaker,truth,face,gender,age\na,a,1,.9,f,30\na,b,0,.1,m,40\n"
    trials = read(tmp_path, text, columns={"label": "truth"})
    assert str(trials.notes[0]) == (
        "read as csv: scores face; label from truth, claim from model, subject from speaker; "
        "kept besides: gender, age; left out: 1 line of comments"
    )
    assert trials.systems == ("face",)
    assert texts(trials, "gender") == ["f", "m"]


@pytest.mark.parametrize("missing", ["NA", "-", "n/a"])
def test_a_system_whose_first_cells_are_not_numbers_does_not_vanish(tmp_path: Path, missing: str) -> None:
    message = refused(tmp_path, table([missing] * 30 + [f"{k / 10}" for k in range(60)]))
    assert "column 'voice' begins with text, but most of it looks like numbers" in message
    assert 'columns={"other": "voice"}' in message
    assert "line 2: column voice should be a number" in refused(tmp_path, table([missing, *["0.5"] * 60]))


@pytest.mark.parametrize("cells", [['"0,5"', '"0,25"'], ["\uff10.\uff15", "\uff11.\uff12"], ["50 %", "2 %"]])
def test_numbers_in_another_notation_are_asked_about(tmp_path: Path, cells: list[str]) -> None:
    assert "looks like numbers" in refused(tmp_path, table(cells * 30))
    assert read(tmp_path, table(cells * 30), columns={"other": "voice"}).systems == ("face",)


def test_text_is_kept_and_not_asked_about(tmp_path: Path) -> None:
    trials = read(tmp_path, table(["quiet", "12 dB", "", "A07"] * 10))
    assert trials.systems == ("face",)
    assert texts(trials, "voice")[:4] == ["quiet", "12 dB", "", "A07"]


def test_scores_under_the_name_of_an_id_are_asked_about(tmp_path: Path) -> None:
    text = "claim,label,face,speaker\na,1,.9,.75\na,0,.1,.25\n"
    message = refused(tmp_path, text)
    assert "column 'speaker' is the subject by its name, but holds numbers that are not whole" in message
    assert read(tmp_path, text, scores=("face", "speaker")).systems == ("face", "speaker")
    assert "subject" in read(tmp_path, text, columns={"subject": "speaker"}).ids


def test_age_is_no_system(tmp_path: Path) -> None:
    text = "claim,subject,face,voice,age,height\na,a,.9,.8,30,1.8\na,b,.1,.2,40,1.7\n"
    trials = read(tmp_path, text)
    assert trials.systems == ("face", "voice", "height")
    assert "scores face, voice, height; claim, subject; kept besides: age" in str(trials.notes[0])
    assert read(tmp_path, text, others=("height",)).systems == ("face", "voice")
    assert read(tmp_path, text, scores=("age",)).systems == ("age",)


def test_a_column_in_two_roles_is_refused(tmp_path: Path) -> None:
    text = "claim,subject,face\na,a,.9\na,b,.1\n"
    assert "given two roles" in refused(tmp_path, text, columns={"claim": "subject", "subject": "subject"})
    assert "given two roles" in refused(tmp_path, text, scores=("face",), others=("face",))


def parquet(folder: Path, **columns: Any) -> Path:
    pq.write_table(
        pa.table({"claim": ["a", "a"], "subject": ["a", "b"], "face": [0.9, 0.1], **columns}), folder / "a.parquet"
    )
    return folder / "a.parquet"


@pytest.mark.parametrize("voice", [[Decimal("0.5"), Decimal("0.25")], ["0.5", "0.25"]])
def test_decimals_and_texts_of_numbers_in_parquet_are_scores(tmp_path: Path, voice: list[Any]) -> None:
    trials = read_trials(parquet(tmp_path, voice=voice))
    assert trials.systems == ("face", "voice")
    assert trials.scores.tolist() == [[0.9, 0.5], [0.1, 0.25]]


def test_columns_of_parquet_that_cannot_be_kept_are_named(tmp_path: Path) -> None:
    trials = read_trials(parquet(tmp_path, boxes=[[1, 2], [3]], day=["monday", None]))
    assert "kept besides: day; left out: boxes, which hold neither text" in str(trials.notes[0])
    assert texts(trials, "day") == ["monday", ""]


@pytest.mark.parametrize("numbers", [[2**53 + 1, 1], [-(2**60) - 1, 1]])
def test_whole_numbers_that_would_merge_are_refused_in_parquet_and_npz(tmp_path: Path, numbers: list[int]) -> None:
    with pytest.raises(FairtrialError, match="above 2\\*\\*53"):
        read_trials(parquet(tmp_path, voice=numbers), systems="voice")
    np.savez(tmp_path / "a.npz", scores=np.array(numbers), genuine=np.array([True, False]))
    with pytest.raises(FairtrialError, match="above 2\\*\\*53"):
        read_trials(tmp_path / "a.npz")


def with_columns() -> Trials:
    return Trials.from_arrays(
        [[0.9, 0.8], [0.1, 0.2], [0.7, 0.6]],
        [True, False, True],
        systems=["face", "voice"],
        claim=["a", "a", "b"],
        subject=["a", "b", "b"],
        columns={"gender": ["f", "f", "m"], "quality": np.array([0.5, 0.25, 1.0]), "attack": ["-", "", "x"]},
    )


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet", ".npz"])
def test_further_columns_are_written_and_read_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    assert write_trials(with_columns(), path) == ()
    trials = read_trials(path)
    assert trials.systems == ("face", "voice")
    assert texts(trials, "gender") == ["f", "f", "m"]
    assert texts(trials, "attack") == ["-", "", "x"]
    quality = trials.columns["quality"]
    assert [float(q) for q in (quality if isinstance(quality, np.ndarray) else quality.decode())] == [0.5, 0.25, 1.0]


def test_a_format_without_room_for_columns_says_so(tmp_path: Path) -> None:
    (note,) = write_trials(with_columns().select(["face"]), tmp_path / "a.txt")
    assert "no room for gender, quality, attack" in note


def test_numbers_that_a_text_file_would_give_back_as_scores_are_told(tmp_path: Path) -> None:
    trials = Trials.from_arrays(
        [0.9, 0.1], [True, False], systems=["face"], claim=["a", "a"], columns={"height": np.array([1.7, 1.8])}
    )
    (note,) = write_trials(trials, tmp_path / "a.csv")
    assert 'columns={"other": "height"}' in note
    assert write_trials(trials, tmp_path / "a.parquet") == write_trials(trials, tmp_path / "a.npz") == ()
    for name in ("a.parquet", "a.npz"):
        assert read_trials(tmp_path / name).systems == ("face",)
        assert list(read_trials(tmp_path / name).columns) == ["height"]


def test_further_columns_of_several_files_are_put_side_by_side(tmp_path: Path) -> None:
    for name, gender, extra in (("face", "f", "x"), ("voice", "m", "y")):
        (tmp_path / f"{name}.csv").write_text(
            f"claim,subject,probe,score,gender,{extra}\na,a,p,1,{gender},1\na,b,q,0,f,2\n"
        )
    trials = read_trials([tmp_path / "face.csv", tmp_path / "voice.csv"])
    assert list(trials.columns) == ["gender", "x", "y"]
    assert texts(trials, "gender") == ["f", "f"]
    assert any("column gender differs in" in str(note) for note in trials.notes)


def test_settle_is_what_formats_of_others_can_use() -> None:
    ids: dict[str, IdColumn] = {"claim": Ids.of(["a "]), "subject": Ids.of(["a"])}
    found = settle(Sheet("x", np.zeros((1, 1)), np.zeros(1, bool), ("face",), ids), None, ReadOptions())
    assert found.genuine.tolist() == [True]


class Counted(str):
    """A name that counts how often it is compared."""

    compared = 0
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        type(self).compared += 1
        return str.__eq__(self, other) if isinstance(other, str) else NotImplemented


def test_the_work_grows_with_the_number_of_systems_and_not_with_its_square() -> None:
    """Every name was compared with all others: a table of 50,000 systems took 143 s."""
    names = [Counted(name) for name in ("claim", "subject", *(f"system {k}" for k in range(3000)))]
    Counted.compared = 0
    roles = find_roles(names, dict.fromkeys(names, "fraction"), ReadOptions(), "a.csv")
    kinds = roles.kinds_of(names)
    scores = np.zeros((2, 3000))
    Trials.from_arrays(scores, [True, False], systems=roles.scores)
    assert [kinds[name] for name in names[:3]] == ["text", "text", "score"]
    assert Counted.compared < 20 * len(names)


@pytest.mark.parametrize("order", [["height_cm", "face", "bmi"], ["face", "height_cm", "bmi"]])
def test_whole_numbers_beside_fractions_are_scores_only_if_they_are_asked_for(tmp_path: Path, order: list[str]) -> None:
    """A column such as height_cm became a system, wherever it stood behind a column of fractions."""
    cells = {"height_cm": (180, 170), "face": (0.9, 0.1), "bmi": (24, 22)}
    rows = [",".join(str(cells[name][k]) for name in order) for k in (0, 1)]
    text = f"claim,subject,{','.join(order)}\na,a,{rows[0]}\na,b,{rows[1]}\n"
    trials = read(tmp_path, text)
    assert trials.systems == ("face",)
    (note,) = (note for note in trials.notes if isinstance(note, Note) and note.code == "whole-numbers")
    assert note.values["names"] == ["height_cm", "bmi"]
    assert trials.columns.keys() == {"height_cm", "bmi"}
    for options in ({"systems": ["face", "bmi"]}, {"scores": ["face", "bmi"]}):
        assert read(tmp_path, text, **options).systems == ("face", "bmi")
    frame = read_frame(pa.table({"label": [1, 0], **{name: cells[name] for name in order}}))
    assert frame.systems == ("face",)


def test_a_column_called_like_no_system_is_one_if_it_is_asked_for(tmp_path: Path) -> None:
    text = "claim,subject,face,quality\na,a,.9,.5\na,b,.1,.25\n"
    assert read(tmp_path, text).systems == ("face",)
    for options in ({"systems": ["quality"]}, {"scores": ["quality"]}):
        assert read(tmp_path, text, **options).column().tolist() == [0.5, 0.25]


def test_whole_numbers_alone_are_scores(tmp_path: Path) -> None:
    assert read(tmp_path, "claim,subject,a,b\nx,x,3,4\nx,y,1,2\n").systems == ("a", "b")


@pytest.mark.parametrize(("genuine", "impostor"), [("yes", "no"), ("Positive", "negative"), ("mated", "non-mated")])
def test_labels_of_tests_and_matchers(genuine: str, impostor: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"label,marker\n{genuine},2\n{impostor},1\n")
    assert read_trials(tmp_path / "a.csv").genuine.tolist() == [True, False]


def test_a_role_and_a_column_the_wrong_way_round(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,marker\n1,2\n0,1\n")
    with pytest.raises(ParameterError, match=r'did you mean columns={"label": "y"}'):
        read_trials(tmp_path / "a.csv", columns={"y": "label"})
