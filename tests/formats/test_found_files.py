"""Files as people have them: sharded lists, spreadsheets, numbers that are no scores, files named alike."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from fairtrial import FairtrialError, Trials, read_pair, read_trials, write_trials
from fairtrial.core.notes import Note
from fairtrial.formats import read_frame
from fairtrial.formats.files import system_name


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def codes(trials: Trials) -> set[str]:
    return {note.code for note in trials.notes if isinstance(note, Note)} - {"read-as"}


def test_sharded_lists(tmp_path: Path) -> None:
    names = ["gen-01.txt", "gen-02.txt", "imp.part1.txt", "imp.part2.txt"]
    files = [write(tmp_path, f"lists/{name}", f"{k}.5\n{k}.25\n") for k, name in enumerate(names)]
    for source in (files, files[::-1], tmp_path / "lists"):
        trials = read_trials(source)
        assert trials.genuine.tolist() == [True] * 4 + [False] * 4
        assert sorted(trials.scores[:4, 0].tolist()) == [0.25, 0.5, 1.25, 1.5]
    write(tmp_path, "lists/imp.part2.txt", "nan\n")
    with pytest.raises(FairtrialError, match=r"imp\.part2\.txt, row 1"):
        read_trials(files)
    others = [write(tmp_path, f"{name}.txt", "0.5\n") for name in ("face-gen", "face-imp", "voice-gen", "voice-imp")]
    with pytest.raises(FairtrialError):  # two systems without ids
        read_trials(others)


def test_an_older_spreadsheet(tmp_path: Path) -> None:
    (tmp_path / "scores.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(FairtrialError) as caught:
        read_trials(tmp_path / "scores.xls")
    assert caught.value.code == "spreadsheet"


@pytest.mark.parametrize("first", ["[Content_Types].xml", "_rels/.rels", "docProps/app.xml", "xl/workbook.xml"])
def test_spreadsheets_whichever_part_comes_first(tmp_path: Path, first: str) -> None:
    """Excel writes the types first, openpyxl (and so pandas) last."""
    parts = {"docProps/app.xml": "<app/>" * 1000, "xl/workbook.xml": "<workbook/>", "[Content_Types].xml": "<Types/>"}
    with zipfile.ZipFile(tmp_path / "scores.xlsx", "w") as archive:
        for name in dict.fromkeys((first, *parts)):
            archive.writestr(name, parts.get(name, "<a/>"))
    with pytest.raises(FairtrialError) as caught:
        read_trials(tmp_path / "scores.xlsx")
    assert caught.value.code == "spreadsheet"


def test_whole_numbers_before_fractions_are_not_systems(tmp_path: Path) -> None:
    rows = [(1, 1017, 3, 0.5), (0, 1018, 4, 0.25), (0, 1017, 5, 0.75)]
    text = "label,case_number,stage,face\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows)
    trials = read_trials(write(tmp_path, "a.csv", text))
    assert trials.systems == ("face",)
    assert set(trials.columns) == {"case_number", "stage"}
    assert codes(trials) == {"whole-numbers"}
    assert read_trials(tmp_path / "a.csv", scores=["stage", "face"]).systems == ("stage", "face")
    pa = pytest.importorskip("pyarrow")
    columns = dict(zip(("label", "patient", "stage", "face"), zip(*rows, strict=True), strict=True))
    assert read_frame(pa.table({name: list(values) for name, values in columns.items()})).systems == ("face",)
    alone = "".join(f"{a},{c}\n" for a, _, c, _ in rows)
    assert read_trials(write(tmp_path, "b.csv", f"label,stage\n{alone}")).systems == ("stage",)
    late = "label,voice,face\n" + "1,3,0.5\n0,4,0.25\n" * 30 + "0,3.5,0.5\n"
    assert read_trials(write(tmp_path, "c.csv", late)).systems == ("voice", "face")


def test_whole_scores_are_read_back(tmp_path: Path) -> None:
    trials = Trials.from_arrays(
        np.array([[3.0, 0.5], [4.0, 0.25], [-1.0, 0.75]]), [True, False, False], systems=["finger", "face"]
    )
    for name in ("a.csv", "a.tsv", "a.parquet", "a.npz"):
        write_trials(trials, tmp_path / name)
        read = read_trials(tmp_path / name)
        assert read.systems == ("finger", "face")
        assert np.array_equal(read.scores, trials.scores)


def test_files_with_one_name_for_their_scores(tmp_path: Path) -> None:
    text = "probe,label,logit\na,1,0.5\nb,0,0.25\n"
    names = ("face-dev.csv", "voice-dev.csv", "face-test.csv", "voice-test.csv")
    face, voice, *tests = (write(tmp_path, name, text) for name in names)
    assert read_trials([face, voice]).systems == ("face", "voice")
    assert [part.systems for part in read_pair([face, voice], tests)] == [("face", "voice")] * 2
    assert read_trials(face).systems == ("logit",)


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("dev.face.csv", "face"),
        ("test.face.v2.csv.gz", "face"),
        ("dev_face.1.csv", "face"),
        ("face.dev.csv", "face"),
        ("dev.csv.zst", "system"),
        ("dev", "system"),
        (".face.csv", ".face.csv"),
    ],
)
def test_systems_named_after_files(name: str, system: str) -> None:
    assert system_name(Path("folder", name)) == system


def test_utterance_ids_and_nothing_in_common(tmp_path: Path) -> None:
    one = write(tmp_path, "one.csv", "utt_id,label,a\nu1,1,0.5\nu2,0,0.25\n")
    two = write(tmp_path, "two.csv", "recording,label,b\nu1,1,0.5\nu2,0,0.25\n")
    assert read_trials(one).ids["probe"].decode().tolist() == ["u1", "u2"]
    with pytest.raises(FairtrialError) as caught:
        read_trials([one, two])
    assert caught.value.code == "no-common-id"
    assert "recording" in str(caught.value)
    assert 'columns={"probe": "NAME"}' in str(caught.value)


def test_ids_that_are_files_and_contradict_labels(tmp_path: Path) -> None:
    rows = "ann/1.wav,ann/2.wav,1,0.5\nann/1.wav,bob/1.wav,0,0.25\nbob/1.wav,ann/1.wav,0,0.1\n"
    path = write(tmp_path, "a.csv", f"claim,subject,label,score\n{rows}")
    with pytest.raises(FairtrialError, match="person="):
        read_trials(path)
    assert read_trials(path, person="^[^/]+").genuine.tolist() == [True, False, False]
    people = write(tmp_path, "b.csv", "claim,subject,label,score\nann,bob,1,0.5\nbob,ann,0,0.25\n")
    with pytest.raises(FairtrialError) as caught:
        read_trials(people)
    assert "person=" not in str(caught.value)
