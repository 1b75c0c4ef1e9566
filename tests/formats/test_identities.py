"""Who is who, and what makes a trial genuine: in one place for every format."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairtrial.core.errors import FairtrialError, ParameterError
from fairtrial.core.trials import Ids, Trials
from fairtrial.core.words import Text
from fairtrial.formats import identities
from fairtrial.formats.identities import check_repeated
from fairtrial.formats.read import read_trials, write_trials
from fairtrial.formats.sheets import Sheet


def read(folder: Path, text: str, name: str = "a.csv", **options: Any) -> Trials:
    (folder / name).write_text(text)
    return read_trials(folder / name, **options)


def refused(folder: Path, text: str, name: str = "a.csv", **options: Any) -> str:
    with pytest.raises(FairtrialError) as caught:
        read(folder, text, name, **options)
    return str(caught.value)


def test_spaces_around_ids_do_not_make_other_people(tmp_path: Path) -> None:
    trials = read(tmp_path, "claim,subject,probe,score\nanna,anna , p,.9\n anna,bert,q,.1\n\u00a0bert,bert,r\t,.8\n")
    assert trials.genuine.tolist() == [True, False, True]
    assert trials.ids["claim"].decode().tolist() == ["anna", "anna", "bert"]
    assert trials.ids["probe"].decode().tolist() == ["p", "q", "r"]
    assert "spaces around ids were left out: claim, subject, probe" in map(str, trials.notes)


def test_ids_with_spaces_around_them_are_not_written(tmp_path: Path) -> None:
    trials = Trials.from_arrays([0.5, 0.1], [True, False], claim=["a ", "a "], subject=["a ", "b"])
    for name in ("a.csv", "a.parquet", "a.npz"):
        with pytest.raises(FairtrialError, match="a claim begins or ends with a space"):
            write_trials(trials, tmp_path / name)


CONTRADICTION = "claim,subject,label,score\na,a,1,.9\na,b,1,.7\nb,b,0,.8\nb,a,0,.1\n"


def test_a_label_that_contradicts_the_ids_is_refused(tmp_path: Path) -> None:
    message = refused(tmp_path, CONTRADICTION)
    assert "a.csv, row 2: the label says genuine, but the claim is a and the subject b, as in row 3;" in message
    assert 'genuine_by="label" or genuine_by="ids"' in message


def test_which_of_label_and_ids_counts_can_be_said(tmp_path: Path) -> None:
    by_label = read(tmp_path, CONTRADICTION, genuine_by="label")
    assert by_label.genuine.tolist() == [True, True, False, False]
    assert any("2 labels contradict claim and subject; the labels count" in str(note) for note in by_label.notes)
    by_ids = read(tmp_path, CONTRADICTION, genuine_by="ids")
    assert by_ids.genuine.tolist() == [True, False, True, False]
    assert any("2 labels overruled" in str(note) for note in by_ids.notes)
    assert "has no labels" in refused(tmp_path, "a a p .5\na b p .1\n", "a.txt", genuine_by="label")
    with pytest.raises(ParameterError, match="genuine_by"):
        read(tmp_path, CONTRADICTION, genuine_by="both")


def test_claims_and_subjects_of_different_kinds_do_not_contradict_labels(tmp_path: Path) -> None:
    trials = read(tmp_path, "claim,subject,label,score\nm1,anna,1,.9\nm1,bert,0,.1\nm2,bert,1,.8\nm2,anna,0,.2\n")
    assert trials.genuine.tolist() == [True, False, True, False]


def test_a_spoof_of_the_claimed_person_is_no_contradiction(tmp_path: Path) -> None:
    text = "claim,subject,label,score\na,a,bonafide,.9\na,a,spoof,.4\nb,b,bonafide,.8\nb,b,spoof,.3\n"
    assert read(tmp_path, text).genuine.tolist() == [True, False, True, False]


@pytest.mark.parametrize("name", ["gen.txt", "imp.txt"])
def test_a_list_of_the_wrong_class_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "gen.txt").write_text("a a p .9\nb b p .8\n" + ("a b q .7\n" if name == "gen.txt" else ""))
    (tmp_path / "imp.txt").write_text("a b p .1\nb a p .2\n" + ("b b q .3\n" if name == "imp.txt" else ""))
    with pytest.raises(FairtrialError, match=rf"{name}, row 3: the label says .*genuine_by"):
        read_trials([tmp_path / "gen.txt", tmp_path / "imp.txt"])


def test_an_empty_claim_is_not_an_empty_subject(tmp_path: Path) -> None:
    assert "row 2: claim is empty" in refused(tmp_path, "claim,subject,score\na,a,1\n , ,2\na,b,3\n")


def test_repeated_trials_are_noted_and_contradictions_refused(tmp_path: Path) -> None:
    text = "claim,probe,label,score\na,p,1,.9\na,q,0,.1\na,p,1,.9\nb,p,0,.2\na,p,1,.7\n"
    trials = read(tmp_path, text)
    assert "2 trials came before with the same ids, and count again (such as a, p)" in map(str, trials.notes)
    assert len(trials) == 5
    message = refused(tmp_path, text.replace("a,p,1,.7", "a,p,0,.7"))
    assert "a.csv, row 5: the same trial as in row 1 (a, p), but one is genuine and one is not" in message


def test_trials_without_a_probe_or_with_a_placeholder_are_not_called_repeated(tmp_path: Path) -> None:
    for text in ("a a x .9\na a x .9\na b x .1\n", "a x a x .9\na x a x .8\na x b x .1\n"):
        assert not any("came before" in str(note) for note in read(tmp_path, text, "a.txt").notes)
    assert not any(
        "came before" in str(note) for note in read(tmp_path, "claim,subject,s\na,a,1\na,a,1\na,b,2\n").notes
    )


NAMES = st.sampled_from(["a", "b", "ab", "id10/abcdefgh/1.wav", "id10/abcdefgi/1.wav", "id20/abcdefgh/1.wav", "é" * 20])


@given(st.lists(st.tuples(NAMES, NAMES), min_size=2, max_size=40))
@settings(max_examples=150, deadline=None)
def test_repeated_trials_against_a_dictionary(pairs: list[tuple[str, str]]) -> None:
    import pyarrow as pa

    from fairtrial.formats.text import ArrowTexts

    claim, probe = zip(*pairs, strict=True)
    halves = [pa.array(probe[: len(probe) // 2], pa.string()), pa.array(probe[len(probe) // 2 :], pa.string())]
    for column in (Ids.of(probe), ArrowTexts(pa.chunked_array(halves))):
        ids: dict[str, Any] = {"claim": Ids.of(claim), "probe": column}
        notes = check_repeated(Sheet("f", np.zeros((len(pairs), 1)), np.ones(len(pairs), bool), ("s",), ids))
        expected = len(pairs) - len(set(pairs)) if len(set(probe)) > 1 else 0
        assert [int(note.split()[0]) for note in notes] == ([expected] if expected else [])


def test_many_repeated_long_paths_are_counted(tmp_path: Path) -> None:
    paths = [f"speaker{k % 29:03d}/some-long-session-name-{k % 7}/0001.wav" for k in range(30_000)]
    text = "claim,probe,label,score\n" + "".join(f"m{k % 11},{path},{k % 2},{k}\n" for k, path in enumerate(paths))
    pairs = [(k % 11, path, k % 2) for k, path in enumerate(paths)]
    keys = {(claim, path): label for claim, path, label in pairs}
    consistent = all(keys[claim, path] == label for claim, path, label in pairs)
    assert not consistent
    assert "one is genuine and one is not" in refused(tmp_path, text)
    same = "claim,probe,label,score\n" + "".join(f"m{k % 11},{path},{k % 11 % 2},{k}\n" for k, path in enumerate(paths))
    assert any(
        str(note).startswith(f"{30_000 - len(keys):,} trials came before") for note in read(tmp_path, same).notes
    )


BY_FILE = "anna/1.wav anna/2.wav p .9\nanna/1.wav bert/1.wav q .1\nbert/3.wav bert/1.wav r .8\n"


def test_the_person_within_an_id_of_a_bob_file(tmp_path: Path) -> None:
    with pytest.raises(FairtrialError) as caught:
        read(tmp_path, BY_FILE, "a.txt")
    assert caught.value.code == "no-genuine"
    trials = read(tmp_path, BY_FILE, "a.txt", person="^[^/]+")
    assert trials.genuine.tolist() == [True, False, True]
    assert trials.ids["claim"].decode().tolist() == ["anna", "anna", "bert"]
    assert trials.ids["model"].decode().tolist() == ["anna/1.wav", "anna/1.wav", "bert/3.wav"]
    assert any("people are what matches ^[^/]+ in the ids" in str(note) for note in trials.notes)


@pytest.mark.parametrize("form", ["csv", "parquet", "npz", "matrix", "pairs", "lists", "csv.gz"])
def test_the_person_within_an_id_in_every_format(tmp_path: Path, form: str) -> None:
    claim, subject = ["a-1", "a-1", "b-2", "b-2"], ["a-3", "b-4", "b-4", "a-3"]
    labels, scores = [True, False, True, False], [0.9, 0.1, 0.8, 0.2]
    made = Trials.from_arrays(scores, labels, claim=claim, subject=subject, systems=["s"])
    paths = [tmp_path / f"x.{form}"]
    if form in ("csv", "parquet", "npz", "csv.gz"):
        write_trials(made, paths[0])
    elif form == "matrix":
        paths = [tmp_path / "m.csv"]
        paths[0].write_text(",a-1,b-2\na-3,.9,.2\nb-4,.1,.8\n")
    elif form == "pairs":
        paths = [tmp_path / "trials", tmp_path / "scores"]
        rows = zip(claim, subject, labels, strict=True)
        paths[0].write_text("".join(f"{c} {s} {'target' if g else 'nontarget'}\n" for c, s, g in rows))
        paths[1].write_text("".join(f"{score}\n" for score in scores))
    else:
        paths = [tmp_path / "gen.txt", tmp_path / "imp.txt"]
        paths[0].write_text("a-3 a-1 .9\nb-4 b-2 .8\n")
        paths[1].write_text("b-4 a-1 .1\na-3 b-2 .2\n")
    trials = read_trials(paths, person=r"^(\w)-")
    found = zip(trials.ids["claim"].decode(), trials.ids["subject"].decode(), trials.column(), strict=True)
    assert sorted(found) == [("a", "a", 0.9), ("a", "b", 0.1), ("b", "a", 0.2), ("b", "b", 0.8)]
    assert trials.genuine.tolist() == (trials.column() > 0.5).tolist()


def test_ids_in_which_nobody_is_found_are_refused(tmp_path: Path) -> None:
    message = refused(tmp_path, BY_FILE.replace("bert/3.wav", "bert3.wav"), "a.txt", person="^([^/]+)/")
    assert "a.txt, row 3: " in message
    assert "'bert3.wav'" in message
    with pytest.raises(ParameterError, match="is not a regular expression"):
        read(tmp_path, BY_FILE, "a.txt", person="(")


def test_person_with_models_and_probes_keeps_the_ids_as_columns(tmp_path: Path) -> None:
    trials = read(tmp_path, "a-1 m1 a-2 p1 .9\na-1 m1 b-1 p2 .1\n", "a.txt", person="^.")
    assert trials.genuine.tolist() == [True, False]
    assert list(trials.columns) == ["claim_id", "subject_id"]


def test_the_columns_are_listed_where_nothing_says_what_is_genuine(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who,whom,truth,face\na,a,yes,.9\na,b,no,.1\n")
    with pytest.raises(FairtrialError) as caught:
        read_trials(tmp_path / "a.csv")
    assert isinstance(caught.value.text, Text)
    assert caught.value.text.values["wanted"] == "a label column, or claim and subject"
    for name in ("who", "whom", "truth", "face"):
        assert name in caught.value.text.values["names"]


def test_compressed_files_are_settled_alike(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(CONTRADICTION.encode()))
    with pytest.raises(FairtrialError, match="row 2: the label says genuine"):
        read_trials(tmp_path / "a.csv.gz")


def test_a_pattern_that_takes_too_long_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's `re` needs about 2^40 steps for this one, and cannot be interrupted."""
    monkeypatch.setattr(identities, "_SECONDS", 0.5)
    long = "a" * 40
    with pytest.raises(ParameterError) as caught:
        read(tmp_path, f"{long}! {long}! 1 .9\n{long}! b 2 .1\n", "a.txt", person="^(a+)+$")
    assert caught.value.code == "slow-pattern"


def test_the_person_within_many_ids_and_odd_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identities, "_SEARCHED_AT_ONCE", 2)
    names = ["müller-1", "x\ud800-2", 'a"\\-3', "nobody", "b-4"]
    assert identities._search(r"^(.+)-\d$", names) == ["müller", "x\ud800", 'a"\\', "", "b"]
    assert identities._search(r"\w+", ["müller-1"]) == ["müller"]
