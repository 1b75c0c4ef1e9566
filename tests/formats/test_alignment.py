"""Several files with the same trials in other orders, and files that do not fit each other."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrial import TrialsError, read_trials


def write(folder: Path, name: str, lines: list[str]) -> Path:
    path = folder / f"{name}.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_rows_in_another_order(tmp_path: Path) -> None:
    a = write(tmp_path, "a", ["x x p 1", "x y q 2", "y y p 3"])
    b = write(tmp_path, "b", ["y y p 30", "x x p 10", "x y q 20"])
    assert read_trials([a, b]).scores.tolist() == [[1, 10], [2, 20], [3, 30]]


def test_repeated_trials_go_by_occurrence(tmp_path: Path) -> None:
    a = write(tmp_path, "a", ["x x p 1", "x x p 2", "x y p 3"])
    b = write(tmp_path, "b", ["x y p 30", "x x p 10", "x x p 20"])
    assert read_trials([a, b]).scores.tolist() == [[1, 10], [2, 20], [3, 30]]


def test_missing_trial_says_which_and_where(tmp_path: Path) -> None:
    a = write(tmp_path, "a", ["x x p 1", "x y q 2", "y y p 3"])
    b = write(tmp_path, "b", ["x x p 10", "y y p 30"])
    with pytest.raises(
        TrialsError, match=r"claim x, subject y, probe q \(.*a.txt, row 2\) is not in .*b.txt.*common=True"
    ):
        read_trials([a, b])
    trials = read_trials([a, b], common=True)
    assert trials.scores.tolist() == [[1, 10], [3, 30]]
    assert trials.notes[1:] == ("dropped 1 trial that not all systems have, 2 are left",)


def test_one_more_occurrence_is_a_missing_trial(tmp_path: Path) -> None:
    a = write(tmp_path, "a", ["x x p 1", "x x p 2", "x y q 3"])
    b = write(tmp_path, "b", ["x x p 10", "x y q 30"])
    with pytest.raises(TrialsError, match="not as often"):
        read_trials([a, b])
    assert len(read_trials([a, b], common=True)) == 2


def test_labels_that_disagree(tmp_path: Path) -> None:
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_text("claim,probe,label,a\nx,p,1,1\nx,q,0,2\n")
    b.write_text("claim,probe,label,b\nx,q,1,20\nx,p,1,10\n")
    with pytest.raises(TrialsError, match=r"claim x, probe q is impostor in .*a.csv and genuine in .*b.csv"):
        read_trials([a, b], common=True)


def test_nothing_in_common(tmp_path: Path) -> None:
    a, b = write(tmp_path, "a", ["x x p 1"]), write(tmp_path, "b", ["y y p 1"])
    with pytest.raises(TrialsError, match="no trial in common"):
        read_trials([a, b], common=True)


rows = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz"), st.sampled_from("pq")), min_size=1, max_size=12
)


@given(first=rows, second=rows)
def test_common_trials_against_counting(
    tmp_path_factory: pytest.TempPathFactory, first: list[tuple[str, ...]], second: list[tuple[str, ...]]
) -> None:
    folder = tmp_path_factory.mktemp("common")
    a = write(folder, "a", [f"{' '.join(key)} {index}" for index, key in enumerate(first)])
    b = write(folder, "b", [f"{' '.join(key)} {index}" for index, key in enumerate(second)])
    shared = Counter(first) & Counter(second)
    if not shared:
        return
    trials = read_trials([a, b], common=True)
    found = list(zip(*(trials.ids[name].decode().tolist() for name in ("claim", "subject", "probe")), strict=True))
    assert Counter(found) == shared
    for key, (own, other) in zip(found, trials.scores.astype(int).tolist(), strict=True):
        assert first[own] == second[other] == key
        # the same occurrence in both
        assert first[:own].count(key) == second[:other].count(key)


def test_a_long_name_of_a_system_is_cut_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text(f"claim,subject,probe,system,score\na,a,1,face,1\na,b,2,face,0\na,a,1,{'v' * 9000},1\n")
    with pytest.raises(TrialsError, match=r"is not in .*long.csv \(system vvv") as caught:
        read_trials(path)
    assert len(str(caught.value)) < 600
