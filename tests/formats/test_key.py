"""Trials with labels in one file, scores in others: joined by ids; trials that do not fit are named and counted."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from fairtrial import FairtrialError, Trials, open_trials, read_pair, read_trials
from fairtrial.cli.app import main
from fairtrial.core.notes import Note

TRIALS = [("m1", "u1", 1, 0.9), ("m1", "u2", 0, 0.2), ("m2", "u1", 0, 0.4), ("m2", "u3", 1, 0.7), ("m1", "u3", 0, -0.1)]
WORDS = ["nontarget", "target"]
KEYS = {
    "headerless": "".join(f"{m} {u} {WORDS[g]}\n" for m, u, g, _ in TRIALS),
    "label first": "".join(f"{g} {m} {u}\n" for m, u, g, _ in TRIALS),
    "nist": "modelid\tsegmentid\tside\ttargettype\n" + "".join(f"{m}\t{u}\ta\t{WORDS[g]}\n" for m, u, g, _ in TRIALS),
    "spaces": "enrol test label gender\n" + "".join(f"{m} {u} {WORDS[g]} f\n" for m, u, g, _ in TRIALS),
    "csv": "trial,label,claim,probe\n" + "".join(f"{k},{g},{m},{u}\n" for k, (m, u, g, _) in enumerate(TRIALS)),
    "commas": "".join(f"{m},{u},{WORDS[g]}\n" for m, u, g, _ in TRIALS),
    "odd order": "".join(f"x {u} - {m} {WORDS[g]} -\n" for m, u, g, _ in TRIALS),
}
SCORES = {
    "headerless": "".join(f"{m} {u} {s}\n" for m, u, _, s in reversed(TRIALS)),
    "nist": "modelid\tsegmentid\tside\tLLR\n" + "".join(f"{m}\t{u}\ta\t{s}\n" for m, u, _, s in TRIALS),
    "csv": "claim,probe,face\n" + "".join(f"{m},{u},{s}\n" for m, u, _, s in TRIALS[2:] + TRIALS[:2]),
}


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def codes(trials: Trials) -> set[str]:
    return {note.code for note in trials.notes if isinstance(note, Note)} - {"columns-guessed", "read-as"}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("scores", SCORES)
def test_keys_and_scores(tmp_path: Path, key: str, scores: str) -> None:
    trials = read_trials(write(tmp_path, "face", SCORES[scores]), key=write(tmp_path, "key", KEYS[key]))
    assert trials.genuine.tolist() == [bool(g) for _, _, g, _ in TRIALS]
    assert trials.scores[:, 0].tolist() == [s for *_, s in TRIALS]
    assert trials.ids["claim"].decode().tolist() == [m for m, *_ in TRIALS]
    assert trials.ids["probe"].decode().tolist() == [u for _, u, *_ in TRIALS]
    assert codes(trials) == set()


def test_ids_that_look_like_files_need_no_person_beside_a_key(tmp_path: Path) -> None:
    pairs = [("a/1.wav", "a/2.wav"), ("a/1.wav", "b/1.wav"), ("b/2.wav", "b/1.wav"), ("b/2.wav", "a/2.wav")]
    scores = "claim,subject,face\n" + "".join(f"{c},{s},{k}.5\n" for k, (c, s) in enumerate(pairs))
    key = "claim,subject,label\n" + "".join(f"{c},{s},{int(c[0] == s[0])}\n" for c, s in pairs)
    trials = read_trials(write(tmp_path, "face.csv", scores), key=write(tmp_path, "key.csv", key), genuine_by="label")
    assert trials.genuine.tolist() == [True, False, True, False]


def test_a_key_whose_rows_differ_in_width_has_no_label(tmp_path: Path) -> None:
    key = write(tmp_path, "key.txt", "m1 u1 target\nm1 u2\n")
    with pytest.raises(FairtrialError) as caught:
        read_trials(write(tmp_path, "face", SCORES["headerless"]), key=key)
    assert caught.value.code == "no-label"


def test_a_column_of_a_key_that_occurs_twice(tmp_path: Path) -> None:
    key = write(tmp_path, "key.csv", "probe,label,label\nu1,1,0\n")
    with pytest.raises(FairtrialError, match="'label' occurs twice"):
        read_trials(write(tmp_path, "face", SCORES["csv"]), key=key)


def test_scores_that_a_file_lacks(tmp_path: Path) -> None:
    key = write(tmp_path, "key.csv", KEYS["csv"])
    scores = [write(tmp_path, "face.csv", SCORES["csv"]), write(tmp_path, "x.csv", SCORES["csv"].replace("face", "x"))]
    with pytest.raises(FairtrialError, match=r"x\.csv: there is no column 'face'"):
        read_trials(scores, key=key, scores=["face"])


def test_conditions_are_kept(tmp_path: Path) -> None:
    trials = read_trials(write(tmp_path, "face", SCORES["csv"]), key=str(write(tmp_path, "key", KEYS["spaces"])))
    column = trials.columns["gender"]
    assert not isinstance(column, np.ndarray)
    assert column.decode().tolist() == ["f"] * 5


def test_asvspoof_5(tmp_path: Path) -> None:
    key = write(
        tmp_path, "key.tsv", "D_1 D_01 F - AC3 A11 spoof -\nD_1 D_02 M - - - bonafide -\nD_2 D_03 F - - A12 spoof -\n"
    )
    scores = write(tmp_path, "scores.tsv", "filename\tcm-score\nD_03\t-2.5\nD_01\t-1.5\nD_02\t3.5\n")
    trials = read_trials(scores, key=key)
    assert trials.genuine.tolist() == [False, True, False]
    assert trials.scores[:, 0].tolist() == [-1.5, 3.5, -2.5]
    assert trials.systems == ("cm-score",)
    bare = write(tmp_path, "scores.txt", "D_03 -2.5\nD_01 -1.5\nD_02 3.5\n")
    attacks = read_trials(bare, key=key, others="column 6").columns["column 6"]  # as groups by a column of the key ask
    assert not isinstance(attacks, np.ndarray)
    assert attacks.decode().tolist() == ["A11", "-", "A12"]


def test_several_systems(tmp_path: Path) -> None:
    files = [
        write(tmp_path, name, SCORES["headerless"].replace("0.9", score))
        for name, score in (("a", "1.5"), ("b", "2.5"))
    ]
    trials = read_trials(files, key=write(tmp_path, "key", KEYS["headerless"]))
    assert trials.systems == ("a", "b")
    assert trials.scores[0].tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("key", "scores", "code", "count"),
    [
        ("", "m9 u1 0.5\nm8 u1 0.25\n", "key-unknown", 2),
        ("", "m1 u1 0.5\n", "key-double", 1),
        ("m7 u7 target\nm7 u8 nontarget\n", "", "key-missing", 2),
        ("m1 u1 nontarget\n", "", "key-double", 1),
    ],
)
def test_trials_that_do_not_fit(tmp_path: Path, key: str, scores: str, code: str, count: int) -> None:
    files: dict[str, Any] = {"key": write(tmp_path, "key", KEYS["headerless"] + key)}
    path = write(tmp_path, "scores", SCORES["headerless"] + scores)
    with pytest.raises(FairtrialError) as caught:
        read_trials(path, **files)
    assert caught.value.code == code
    assert not isinstance(caught.value.text, str)
    assert caught.value.text.values["count"] == count
    if code != "key-double":
        trials = read_trials(path, common=True, **files)
        assert len(trials) == len(TRIALS)
        assert codes(trials) == {code}


def test_nothing_in_common(tmp_path: Path) -> None:
    key = write(tmp_path, "key", KEYS["csv"])
    with pytest.raises(FairtrialError) as caught:
        read_trials(write(tmp_path, "scores", "a1 b1 0.5\na2 b2 0.25\n"), key=key)
    assert caught.value.code in ("no-common-id", "key-unknown")
    with pytest.raises(FairtrialError) as caught:
        read_trials(write(tmp_path, "scores.csv", "name,face\nx,0.5\ny,0.25\n"), key=key)
    assert caught.value.code == "no-common-id"
    with pytest.raises(FairtrialError) as caught:
        read_trials(write(tmp_path, "scores", SCORES["headerless"]), key=write(tmp_path, "other", "a b c\nd e f\n"))
    assert caught.value.code == "no-label"


def test_pairs_take_one_key_or_two(tmp_path: Path) -> None:
    key = write(tmp_path, "key", KEYS["headerless"])
    lines = SCORES["headerless"].splitlines(keepends=True)
    dev, test = (write(tmp_path, name, "".join(part)) for name, part in (("dev", lines[:3]), ("test", lines[3:])))
    pair = read_pair(dev, test, key=key)
    assert [len(part) for part in pair] == [3, 2]
    short = write(tmp_path, "short", "".join(lines[4:]))
    with pytest.raises(FairtrialError) as caught:
        read_pair(dev, short, key=key)
    assert caught.value.code == "key-missing"
    rows = KEYS["headerless"].splitlines(keepends=True)
    keys = [write(tmp_path, name, "".join(part)) for name, part in (("dev.key", rows[2:]), ("test.key", rows[:2]))]
    assert [len(part) for part in read_pair(dev, test, key=[str(path) for path in keys])] == [3, 2]
    with pytest.raises(FairtrialError):
        read_trials(dev, key=[str(path) for path in keys])
    with pytest.raises(FairtrialError):
        open_trials(dev, key=str(key))


def test_the_option(tmp_path: Path) -> None:
    key, scores = write(tmp_path, "key", KEYS["nist"]), write(tmp_path, "scores", SCORES["nist"])
    arguments = ["evaluate", "--dev", str(scores), "--test", str(scores), "--key", str(key), "--json"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output


def test_labels_that_are_left_out(tmp_path: Path) -> None:
    key = write(tmp_path, "key", KEYS["headerless"].replace("m1 u3 nontarget", "m1 u3 spoof"))
    scores = write(tmp_path, "scores", SCORES["headerless"])
    with pytest.raises(FairtrialError):
        read_trials(scores, key=key)
    assert len(read_trials(scores, key=key, genuine_labels="target", impostor_labels="nontarget")) == 4


def test_each_of_two_keys_is_checked(tmp_path: Path) -> None:
    """Trials of dev's key without a score were not reported."""
    key = write(tmp_path, "key", KEYS["headerless"])
    whole = write(tmp_path, "whole", SCORES["headerless"])
    part = write(tmp_path, "part", "".join(SCORES["headerless"].splitlines(keepends=True)[1:]))
    for files in ((part, whole), (whole, part)):
        with pytest.raises(FairtrialError) as caught:
            read_pair(*files, key=[key, key])
        assert caught.value.code == "key-missing"
        pair = read_pair(*files, key=[key, key], common=True)
        assert [codes(trials) for trials in pair] == [{"key-missing"} if file == part else set() for file in files]


def test_no_id_in_common_names_the_option(tmp_path: Path) -> None:
    scores = write(tmp_path, "scores.csv", "name,face\na,.9\nb,.1\n")
    with pytest.raises(FairtrialError, match=r'as in columns=\{"probe": "NAME"\}'):
        read_trials(scores, key=write(tmp_path, "key", KEYS["headerless"]))


PROTOCOL = "".join(
    f"D_{k % 3} D_0{k} {'FM'[k % 2]} - - - {'A' * k}C {attack} {'spoof' if attack != '-' else 'bonafide'} -\n"
    for k, attack in enumerate(["A17", "-", "A18", "-", "A17", "-", "A18", "-"])
)
PROTOCOL_SCORES = "filename\tcm-score\n" + "".join(f"D_0{k}\t{k % 2}.{k}\n" for k in range(8))


@pytest.mark.parametrize("column", ["subject=99", "subject=nope", "claim=nope", "other=48", "label=nope", "score=nope"])
@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("key", ["headerless", "nist", "csv"])
def test_a_column_of_neither_file_is_an_error(tmp_path: Path, column: str, scores: str, key: str) -> None:
    """It was ignored."""
    files = write(tmp_path, "scores", SCORES[scores]), write(tmp_path, "key", KEYS[key])
    arguments = ["evaluate", "--dev", files[0], "--test", files[0], "--key", files[1], "--column", column]
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == 2, result.output
    assert "column" in result.output
    assert column.partition("=")[2] in result.output


def test_a_column_of_either_file(tmp_path: Path) -> None:
    key = write(tmp_path, "key.csv", "one,label,two\n" + "".join(f"{m},{g},{u}\n" for m, u, g, _ in TRIALS))
    columns = {"claim": "one", "probe": "two"}
    named = write(tmp_path, "named.csv", "two,one,face\n" + "".join(f"{u},{m},{s}\n" for m, u, _, s in TRIALS))
    bare = write(tmp_path, "bare.txt", SCORES["headerless"])
    for scores in (named, bare):
        trials = read_trials(scores, key=key, columns=columns)
        assert trials.genuine.tolist() == [bool(g) for _, _, g, _ in TRIALS]
        assert trials.scores[:, 0].tolist() == [s for *_, s in TRIALS]


def test_the_scores_of_a_list_without_a_header_are_named_by_number(tmp_path: Path) -> None:
    """With a key, all numbers were ignored."""
    scores = write(tmp_path, "scores", "".join(f"{m} {u} {s} 0.5\n" for m, u, _, s in TRIALS))
    key = write(tmp_path, "key", KEYS["nist"])
    trials = read_trials(scores, key=key, columns={"claim": "1", "probe": "2"}, scores="3")
    assert trials.scores.tolist() == [[s] for *_, s in TRIALS]


def test_a_protocol_of_asvspoof_names_speakers_and_attacks(tmp_path: Path) -> None:
    """Speakers were a further column, and trials of the same one taken as independent."""
    key, scores = write(tmp_path, "key", PROTOCOL), write(tmp_path, "scores", PROTOCOL_SCORES)
    trials = read_trials(scores, key=key)
    assert trials.subject is not None
    assert trials.subject.decode().tolist() == [f"D_{k % 3}" for k in range(8)]
    assert list(trials.columns) == [*(f"column {k}" for k in range(3, 8)), "attack", "column 10"]
    named = read_trials(scores, key=key, columns={"gender": "3", "claim": "1", "probe": "2"})
    assert set(named.ids) == {"claim", "probe"}
    assert set(read_trials(scores, key=key, columns={"probe": "2"}).ids) == {"subject", "probe"}
    assert next(iter(named.columns)) == "gender"


@pytest.mark.parametrize("asked", [["--by", "8"], ["--by", "attack"], ["--by", "family", "--column", "family=8"]])
@pytest.mark.parametrize("has_key", [True, False])
def test_groups_by_a_column_without_a_name(tmp_path: Path, asked: list[str], has_key: bool) -> None:
    """Columns were counted in --column only."""
    key, scores = write(tmp_path, "key", PROTOCOL), write(tmp_path, "scores", PROTOCOL_SCORES)
    options = ["--key", str(key)]
    if not has_key:
        options = ["--column", "label=9", "--column", "score=10"]
        lines = [line.removesuffix("-") + f"{k % 2}.{k}\n" for k, line in enumerate(PROTOCOL.splitlines())]
        scores = write(tmp_path, "list", "".join(lines))
    result = CliRunner().invoke(main, ["groups", "--dev", str(scores), "--test", str(scores), *options, *asked])
    assert result.exit_code == 0, result.output
    assert "A17" in result.output


def test_a_name_for_a_number_that_a_format_does_not_have(tmp_path: Path) -> None:
    lists = [write(tmp_path, name, "a b p1 0.5 7\nc d p2 0.25 8\n") for name in ("gen.txt", "imp.txt")]
    columns = {"claim": "1", "subject": "2", "probe": "3", "age": "5"}
    with pytest.raises(FairtrialError, match="no column in the role age"):
        read_trials(lists, columns=columns, scores="4")
    table = pa.table({"claim": ["a", "a"], "subject": ["a", "b"], "8": ["x", "y"], "face": [0.5, 0.25]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert list(read_trials(tmp_path / "a.parquet", columns={"attack": "8"}).columns) == ["8"]


def test_a_role_that_is_mistyped_is_not_the_name_of_a_column(tmp_path: Path) -> None:
    with pytest.raises(FairtrialError, match="no column role clam"):
        read_trials(write(tmp_path, "scores", SCORES["headerless"]), columns={"clam": "1"})
