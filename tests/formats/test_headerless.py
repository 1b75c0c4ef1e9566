"""Lists without a header, as toolkits and challenges write them: told by their cells, or by numbers of columns."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from fairtrial import FairtrialError, Trials, open_trials, read_trials
from fairtrial.cli.app import main
from fairtrial.core.notes import Note
from fairtrial.formats import ReadOptions
from fairtrial.formats.opening import open_pieces

SPEECHBRAIN = "e1 t1 1 0.9\ne1 t2 0 0.2\ne2 t3 1 0.7\ne2 t1 0 -0.4\n"
WESPEAKER = "e1 t1 0.9 target\ne1 t2 0.2 nontarget\ne2 t3 0.7 target\ne2 t1 -0.4 nontarget\n"
ASVSPOOF = "LA_1 - bonafide 0.9\nLA_2 A07 spoof 0.2\nLA_3 - bonafide 0.7\nLA_4 A19 spoof -0.4\n"
XM2VTS = "3 3 0.9 1.5\n8 3 0.2 -0.5\n4 4 0.7 1.0\n9 3 -0.4 0.25\n"
XM2VTS_LABELS = "3 3 0.9 1.5 1\n8 3 0.2 -0.5 0\n4 4 0.7 1.0 1\n9 3 -0.4 0.25 0\n"
LISTS = {
    "speechbrain": (SPEECHBRAIN, {"claim": ["e1", "e1", "e2", "e2"], "probe": ["t1", "t2", "t3", "t1"]}),
    "wespeaker": (WESPEAKER, {"claim": ["e1", "e1", "e2", "e2"], "probe": ["t1", "t2", "t3", "t1"]}),
    "asvspoof": (ASVSPOOF, {"probe": ["LA_1", "LA_2", "LA_3", "LA_4"]}),
    "xm2vts": (XM2VTS, {"subject": ["3", "8", "4", "9"], "claim": ["3", "3", "4", "3"]}),
    "xm2vts labels": (XM2VTS_LABELS, {"subject": ["3", "8", "4", "9"], "claim": ["3", "3", "4", "3"]}),
    "commas": (SPEECHBRAIN.replace(" ", ","), {"claim": ["e1", "e1", "e2", "e2"], "probe": ["t1", "t2", "t3", "t1"]}),
    "tabs": (WESPEAKER.replace(" ", "\t"), {"claim": ["e1", "e1", "e2", "e2"], "probe": ["t1", "t2", "t3", "t1"]}),
    "label first": ("1 0.9\n0 0.2\n1 0.7\n0 -0.4\n", {}),
    "signs": ("0.9 +1\n0.2 -1\n0.7 +1\n-0.4 -1\n", {}),
}


def ids_of(trials: Trials) -> dict[str, list[str]]:
    return {name: column.decode().tolist() for name, column in trials.ids.items()}


def codes(trials: Trials) -> list[str]:
    return [note.code for note in trials.notes if isinstance(note, Note) and note.code != "read-as"]


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("name", ["scores", "scores.txt", "scores.csv", "scores.scores", "scores.foo"])
def test_lists_are_told_by_their_cells(tmp_path: Path, kind: str, name: str) -> None:
    text, ids = LISTS[kind]
    (tmp_path / name).write_text(text)
    trials = read_trials(tmp_path / name)
    assert trials.genuine.tolist() == [True, False, True, False]
    assert trials.scores[:, 0].tolist() == [0.9, 0.2, 0.7, -0.4]
    assert ids_of(trials) == ids
    assert codes(trials) == ["columns-guessed"]


def test_commas_between_whole_scores(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("e1,t1,target,3\ne1,t2,nontarget,1\n")
    trials = read_trials(tmp_path / "a.csv")
    assert trials.scores[:, 0].tolist() == [3, 1]
    assert ids_of(trials) == {"claim": ["e1", "e1"], "probe": ["t1", "t2"]}


@pytest.mark.parametrize("text", ["e1 t1 target 0,3\ne1 t2 nontarget 0,1\n", "e1 0,3\ne2 0,1\n", "0,3\n0,1\n"])
def test_a_decimal_comma_separates_no_columns(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(FairtrialError):
        read_trials(tmp_path / "a.txt")


def test_attacks_are_kept(tmp_path: Path) -> None:
    (tmp_path / "cm.txt").write_text(ASVSPOOF)
    column = read_trials(tmp_path / "cm.txt").columns["attack"]
    assert not isinstance(column, np.ndarray)
    assert column.decode().tolist() == ["-", "A07", "-", "A19"]
    assert list(read_trials(tmp_path / "cm.txt", others="attack").columns) == ["attack"]  # as groups by it ask
    assert list(read_trials(tmp_path / "cm.txt", columns={"label": 3}).columns) == ["attack"]
    with pytest.raises(FairtrialError) as caught:
        read_trials(tmp_path / "cm.txt", others="site")
    assert caught.value.code == "no-column"


def test_several_systems_and_a_row_of_counts(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(f"4 2\n{XM2VTS_LABELS}")
    trials = read_trials(tmp_path / "a")
    assert trials.systems == ("system 1", "system 2")
    assert trials.scores.tolist() == [[0.9, 1.5], [0.2, -0.5], [0.7, 1.0], [-0.4, 0.25]]
    (tmp_path / "b").write_text(f"# made\n\n4\n{SPEECHBRAIN}")
    assert len(read_trials(tmp_path / "b")) == 4
    opened = open_trials(tmp_path / "a")
    assert len(opened) == 4


@pytest.mark.parametrize("kind", LISTS)
def test_pieces_hold_the_same_trials(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.txt").write_text(LISTS[kind][0] * 6000)
    whole = read_trials(tmp_path / "a.txt")
    systems, pieces = open_pieces(tmp_path / "a.txt", None, ReadOptions(), 1 << 16)
    parts = [part.trials for piece in pieces for part in piece.trials(systems)]
    assert systems == whole.systems
    assert len(parts) > 1
    assert np.array_equal(np.concatenate([part.scores for part in parts]), whole.scores)
    assert np.array_equal(np.concatenate([part.genuine for part in parts]), whole.genuine)


@pytest.mark.parametrize("kind", LISTS)
def test_every_command_reads_them(tmp_path: Path, kind: str) -> None:
    (tmp_path / "dev").write_text(LISTS[kind][0])
    (tmp_path / "test").write_text(LISTS[kind][0])
    result = CliRunner().invoke(
        main, ["evaluate", "--dev", str(tmp_path / "dev"), "--test", str(tmp_path / "test"), "--json"]
    )
    assert result.exit_code == 0, result.output


def test_a_header_between_spaces(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("enrol test label score\n" + SPEECHBRAIN.replace(" ", "  "))
    trials = read_trials(tmp_path / "a.txt")
    assert trials.genuine.tolist() == [True, False, True, False]
    assert ids_of(trials) == {"claim": ["e1", "e1", "e2", "e2"], "probe": ["t1", "t2", "t3", "t1"]}
    assert codes(trials) == []
    (tmp_path / "b.txt").write_text('label score\n1 0.5\n0 "0.25\n')
    with pytest.raises(FairtrialError, match="line 3"):
        read_trials(tmp_path / "b.txt")


def test_columns_by_number(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("anna anna 1 0.9\nanna bert 0 0.2\nbert anna 1 0.4\n")
    with pytest.raises(FairtrialError) as caught:
        read_trials(tmp_path / "a")
    assert caught.value.code == "columns-unclear"
    assert read_trials(tmp_path / "a", format="bob4").genuine.tolist() == [True, False, False]
    columns: dict[str, int | str] = {"claim": 1, "probe": 2, "label": 3}
    trials = read_trials(tmp_path / "a", columns=columns)
    assert trials.genuine.tolist() == [True, False, True]
    (tmp_path / "b").write_text("x 0.9 y 7 good\nx 0.1 z 8 bad\n")
    labels: dict[str, Any] = {"genuine_labels": "good", "impostor_labels": "bad"}
    trials = read_trials(tmp_path / "b", columns={"label": 5, "score": 2, "probe": 3}, **labels)
    assert trials.scores[:, 0].tolist() == [0.9, 0.1]
    assert ids_of(trials) == {"probe": ["y", "z"]}
    assert set(trials.columns) == {"column 1", "column 4"}
    with pytest.raises(FairtrialError, match="no column '7'"):
        read_trials(tmp_path / "b", columns={"label": 7, "score": 2}, **labels)
    arguments = ["--column", "label=5", "--column", "score=2", "--label", "genuine=good", "--label", "impostor=bad"]
    result = CliRunner().invoke(main, ["convert", str(tmp_path / "b"), *arguments, "--out", str(tmp_path / "b.csv")])
    assert result.exit_code == 0, result.output


def test_people_of_voxceleb(tmp_path: Path) -> None:
    lines = "id10001/a/1.wav id10001/b/2.wav 1 0.9\nid10001/a/1.wav id10002/c/1.wav 0 0.1\n"
    (tmp_path / "scores").write_text(lines)
    trials = read_trials(tmp_path / "scores")
    assert ids_of(trials)["subject"] == ["id10001", "id10002"]


@pytest.mark.parametrize(
    "text",
    [
        "a/1.wav b/1.wav 0.5\na/1.wav a/1.wav 0.25\n",  # a score list without labels
        "e1 t1 0.5\ne2 t2 0.25\n",
        "0,9\n1,2\n0,8\n1,1\n",  # decimal commas
        "a 0.5\nb 0.25\n",
        "a b 1 0 0.5\nc d 0 1 0.25\n1 2 3 4 x\n",
    ],
)
def test_what_is_not_clear_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").write_text(text)
    with pytest.raises(FairtrialError):
        read_trials(tmp_path / "a")


def test_probes_of_bob_are_not_labels(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("anna anna 17 0.9\nanna bert 18 0.2\n")
    trials = read_trials(tmp_path / "a")
    assert ids_of(trials)["probe"] == ["17", "18"]
    assert codes(trials) == []


@pytest.mark.parametrize(("first", "second"), [("1", "0"), ("0", "1")])
def test_labels_of_one_class_are_asked_about(tmp_path: Path, first: str, second: str) -> None:
    """More than 2,000 trials of one class at first were read as claims of bob's format."""
    rows = [f"{first} e{k} t{k} {k / 7:.3f}\n" for k in range(4000)] + [f"{second} e{k} u{k} 0.5\n" for k in range(9)]
    (tmp_path / "scores.txt").write_text("".join(rows))
    with pytest.raises(FairtrialError, match="column 1 may hold labels or claims") as caught:
        read_trials(tmp_path / "scores.txt")
    assert caught.value.code == "columns-unclear"
    trials = read_trials(tmp_path / "scores.txt", columns={"label": "1"})
    assert int(trials.genuine.sum()) == (4000 if first == "1" else 9)


def test_a_claim_called_1_is_still_a_claim(tmp_path: Path) -> None:
    (tmp_path / "scores.txt").write_text("1 1 p 0.9\n1 2 q 0.1\n")
    assert read_trials(tmp_path / "scores.txt").genuine.tolist() == [True, False]


@pytest.mark.parametrize("counts", ["2 1 1", "2 1 1 4", "2 1", "2"])
def test_a_first_row_of_counts(tmp_path: Path, counts: str) -> None:
    (tmp_path / "scores.txt").write_text(f"{counts}\nanna m1 anna p1 0.9\nanna m1 bert p2 0.1\n")
    trials = read_trials(tmp_path / "scores.txt")
    assert trials.scores[:, 0].tolist() == [0.9, 0.1]
    assert "a first row of counts" in str(trials.notes[0])


def test_a_first_line_of_an_odd_space_is_no_row_of_counts(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("\u2028\nann ann p1 0.9\nann bob p2 0.2\n")
    with pytest.raises(FairtrialError):
        read_trials(tmp_path / "a", format="bob4")


def test_numbers_along_the_top_of_a_matrix_are_no_counts(tmp_path: Path) -> None:
    (tmp_path / "m.tsv").write_text("1\t2\t3\n1\t.9\t.1\t.2\n2\t.3\t.8\t.1\n3\t.1\t.2\t.7\n")
    assert int(read_trials(tmp_path / "m.tsv").genuine.sum()) == 3


def test_asvspoof_with_speakers(tmp_path: Path) -> None:
    """Six columns were of no known format."""
    (tmp_path / "cm.txt").write_text("S1 LA_1 - - bonafide 0.9\nS1 LA_2 - A07 spoof 0.2\nS2 LA_3 - A19 spoof -0.4\n")
    trials = read_trials(tmp_path / "cm.txt")
    assert trials.genuine.tolist() == [True, False, False]
    assert ids_of(trials) == {"subject": ["S1", "S1", "S2"], "probe": ["LA_1", "LA_2", "LA_3"]}
    attack = trials.columns["attack"]
    assert not isinstance(attack, np.ndarray)
    assert attack.decode().tolist() == ["-", "A07", "A19"]


def test_other_columns_around_labels_are_asked_about(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b c d target 0.9\na b c e nontarget 0.1\n")
    with pytest.raises(FairtrialError, match=r'columns=\{"label": "5"\}') as caught:
        read_trials(tmp_path / "a.txt")
    assert caught.value.code == "columns-unclear"
    assert read_trials(tmp_path / "a.txt", columns={"label": "5"}).genuine.tolist() == [True, False]


def test_ids_that_are_files_without_a_genuine_trial(tmp_path: Path) -> None:
    """All trials were impostor trials, in silence."""
    (tmp_path / "a.txt").write_text("a/1.wav a/2.wav p 0.9\na/1.wav b/1.wav q 0.1\n")
    with pytest.raises(FairtrialError, match="person=") as caught:
        read_trials(tmp_path / "a.txt")
    assert caught.value.code == "no-genuine"
    assert read_trials(tmp_path / "a.txt", person="^[^/]+").genuine.tolist() == [True, False]
