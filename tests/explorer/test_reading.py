"""What the user corrected, as it is read, typed and written in Python."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.opened import read_data, write_sets
from fairtrial import ParameterError, TrialsError
from fairtrial.explorer.reading import Reading
from fairtrial.explorer.shelf import Shelf


def odd_files(folder: Path) -> list[str]:
    """Distances, an age that looks like scores, labels of no coding and a claim by another name."""
    rng = np.random.default_rng(0)
    paths = []
    for name in ("dev", "test"):
        lines = ["who,key,years,distance"]
        for k in range(60):
            genuine = k % 2 == 0
            lines.append(f"p{k % 6},{'yes' if genuine else 'no'},{20.5 + k},{rng.normal(0 if genuine else 2):.4f}")
        paths.append(str(folder / f"{name}.csv"))
        Path(paths[-1]).write_text("\n".join(lines) + "\n")
    return paths


CORRECTED: dict[str, Any] = {
    "roles": {"score": ["distance"], "claim": "who", "label": "key"},
    "genuine": ["yes"],
    "impostor": ["no"],
    "distances": True,
}


def test_corrections_are_taken(tmp_path: Path) -> None:
    data = read_data(odd_files(tmp_path), **CORRECTED)
    assert data.systems == ("distance",)
    assert int(data.test.genuine.sum()) == 30
    assert list(data.test.columns) == ["years"]
    assert data.test.scores[data.test.genuine].mean() > data.test.scores[~data.test.genuine].mean()


def test_the_same_in_words_of_the_command_line_and_of_python(tmp_path: Path) -> None:
    paths = odd_files(tmp_path)
    data = read_data(paths, **CORRECTED, cluster="claim")
    assert data.words(data.systems) == [
        *("--dev", paths[0], "--test", paths[1]),
        *("--column", "claim=who", "--column", "label=key", "--column", "score=distance"),
        *("--label", "genuine=yes", "--label", "impostor=no", "--negate"),
    ]
    assert data.reading.chance_words() == ["--cluster", "claim"]
    known: dict[str, Any] = {}
    exec("import fairtrial as ft\n" + "\n".join(data.lines()), known)
    assert np.array_equal(known["test"].scores, data.test.scores)
    assert np.array_equal(known["dev"].genuine, data.dev.genuine)


def test_what_was_asked_comes_back_as_it_was_asked(tmp_path: Path) -> None:
    reading = read_data(odd_files(tmp_path), **CORRECTED).reading
    assert Reading.of(reading.to_dict()) == reading
    assert set(reading.to_dict()) == {"dev", "test", "roles", "genuine", "impostor", "distances"}


def test_one_set_is_cut_into_folds(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path)[:1], folds=3)
    assert (data.sets.origin, len(data.sets.blocks) >= 3) == ("folds", True)
    assert data.words(data.systems)[-2:] == ["--folds", "3"]
    with pytest.raises(TrialsError, match="test set of its own"):
        data.two_sets("fusion")
    known: dict[str, Any] = {}
    exec("import fairtrial as ft\n" + "\n".join(data.lines()), known)
    assert [block.held_out.tolist() for block in known["blocks"]] == [
        block.held_out.tolist() for block in data.sets.blocks
    ]


def test_there_must_be_dev_trials_of_both_classes_and_room_for_them(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="development scores"):
        Reading.of({"test": ["f1"]})
    shelf = Shelf(write_sets(tmp_path))
    reading = Reading.of({"dev": ["f1"], "test": ["f2"]})
    with pytest.raises(TrialsError, match="of memory"):
        reading.read(reading.files(shelf), None, room=1000)
    (tmp_path / "one.csv").write_text("label,face\n1,0.9\n1,0.2\n")
    with pytest.raises(TrialsError, match="no impostor trial"):
        read_data([str(tmp_path / "one.csv")], folds=2)


def test_folds_are_noted_as_on_the_command_line(tmp_path: Path) -> None:
    """Twelve clients and eight impostors."""
    assert "3 folds of 20 people, 6 blocks" in read_data(write_sets(tmp_path)[:1], folds=3).test.notes
