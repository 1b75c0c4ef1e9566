"""What a file would be read as, told before it is read."""

from pathlib import Path

import numpy as np
import pytest

from fairtrial import Trials, read_trials, write_trials
from fairtrial.formats.preview import glance
from simulated import crossed


def written(folder: Path, text: str, name: str = "scores.csv") -> Path:
    place = folder / name
    place.write_text(text)
    return place


def test_a_table_is_told_by_its_names_and_first_rows(tmp_path: Path) -> None:
    found = glance(written(tmp_path, "claim,label,age,face\nann,target,31,0.9\nbob,nontarget,40,0.2\n"))
    assert (found.format, found.trouble) == ("csv", "")
    assert {column.name: column.role for column in found.columns} == {
        "claim": "claim",
        "label": "label",
        "age": "other",
        "face": "score",
    }
    assert found.columns[3].examples == ("0.9", "0.2")
    assert [(own.word, own.meaning) for own in found.labels] == [("target", "genuine"), ("nontarget", "impostor")]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "csv.gz"])
def test_roles_are_those_that_reading_finds(tmp_path: Path, ending: str) -> None:
    trials = crossed(np.random.default_rng(0), clients=5, impostors=3)
    place = tmp_path / f"scores.{ending}"
    write_trials(trials, place)
    roles = glance(place).roles
    assert tuple(roles["score"]) == read_trials(place).systems == trials.systems
    assert (roles["claim"], roles["subject"], roles["label"]) == (["claim"], ["subject"], ["label"])


def test_columns_are_shown_where_no_score_can_be_told(tmp_path: Path) -> None:
    found = glance(
        written(tmp_path, "label,voice\ntarget,0,9\nnontarget,0,2\n".replace("0,", '"0,').replace("\n", '"\n'))
    )
    found = glance(written(tmp_path, 'label;voice\ntarget;"0,9"\nnontarget;"0,2"\n'))
    assert [column.name for column in found.columns] == ["label", "voice"]
    assert "no column of scores" in found.trouble


def test_labels_of_no_known_coding_are_shown_with_their_trouble(tmp_path: Path) -> None:
    found = glance(written(tmp_path, "label,voice\nja,0.9\nnein,0.2\n"))
    assert [(own.word, own.meaning) for own in found.labels] == [("ja", ""), ("nein", "")]
    assert found.trouble.startswith(f"{tmp_path}"), "of several files, which one"
    assert "label" in found.trouble


def test_formats_without_a_header_show_their_first_lines(tmp_path: Path) -> None:
    found = glance(written(tmp_path, "ann ann probe1 0.9\nann bob probe2 0.2\n", "scores.txt"))
    assert (found.format, found.columns, found.lines[0]) == ("bob4", (), "ann ann probe1 0.9")


def test_what_is_wrong_is_told_and_not_raised(tmp_path: Path) -> None:
    assert "none.csv" in glance(tmp_path / "none.csv").trouble
    assert glance(written(tmp_path, "\x00\x01\x02", "bytes.bin")).trouble
    assert glance(written(tmp_path, "", "empty.csv")).trouble
    damaged = tmp_path / "damaged.parquet"
    write_trials(Trials.from_arrays([0.9, 0.2], [True, False]), damaged)
    damaged.write_bytes(damaged.read_bytes()[:-40])
    assert "damaged.parquet" in glance(damaged).trouble


def test_columns_without_a_header_go_by_their_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "LA_1 - bonafide 0.9\nLA_2 A07 spoof 0.2\n", "cm.txt")
    found = glance(path)
    assert found.roles == {"probe": ["1"], "other": ["2"], "label": ["3"], "score": ["4"]}
    assert [(own.word, own.meaning) for own in found.labels] == [("bonafide", "genuine"), ("spoof", "impostor")]
    named = {role: names[0] for role, names in found.roles.items()}  # as they are sent back, all of them
    assert read_trials(path, columns=named).genuine.tolist() == [True, False]
