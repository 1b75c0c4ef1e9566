"""What a session looks at: files as they were read, and operating points on their trials."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.opened import read_data, write_sets
from fairtrial import InputError, ParameterError, TrialsError, evaluate, performance_curve, roc_curve
from fairtrial.core.notes import Note
from fairtrial.explorer.data import Point, Reading, criteria_shown, errors_shown, steps_of
from fairtrial.explorer.files import OpenFiles
from fairtrial.figures.axes import probit
from fairtrial.rules.criteria import as_criterion


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
    known: dict[str, Any] = {}
    exec("import fairtrial as ft\n" + "\n".join(data.lines()), known)
    assert np.array_equal(known["test"].scores, data.test.scores)
    assert np.array_equal(known["dev"].genuine, data.dev.genuine)


def test_what_was_asked_comes_back_as_it_was_asked(tmp_path: Path) -> None:
    reading = read_data(odd_files(tmp_path), **CORRECTED).reading
    assert Reading.of(reading.asked) == reading
    assert set(reading.asked) == {"dev", "test", "roles", "genuine", "impostor", "distances"}


def test_one_set_is_cut_into_folds(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path)[:1], folds=3)
    assert (data.sets.origin, len(data.sets.blocks) >= 3) == ("folds", True)
    assert data.words(data.systems)[-2:] == ["--folds", "3"]
    known: dict[str, Any] = {}
    exec("import fairtrial as ft\n" + "\n".join(data.lines()), known)
    assert [block.held_out.tolist() for block in known["blocks"]] == [
        block.held_out.tolist() for block in data.sets.blocks
    ]


def test_there_must_be_dev_trials_of_both_classes_and_room_for_them(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="development scores"):
        Reading.of({"test": ["f1"]})
    opened = OpenFiles(map(Path, write_sets(tmp_path)))
    reading = Reading.of({"dev": ["f1"], "test": ["f2"]})
    with pytest.raises(TrialsError, match="of memory"):
        reading.read(reading.files(opened), None, room=1000)
    (tmp_path / "one.csv").write_text("label,face\n1,0.9\n1,0.2\n")
    with pytest.raises(TrialsError, match="no impostor trial"):
        read_data([str(tmp_path / "one.csv")], folds=2)


def test_folds_are_noted_as_on_the_command_line(tmp_path: Path) -> None:
    """Twelve clients and eight impostors."""
    notes = read_data(write_sets(tmp_path)[:1], folds=3).test.notes
    (note,) = (note for note in notes if isinstance(note, Note) and note.code == "folds")
    assert (note.values["folds"], note.values["people"], note.values["blocks"]) == (3, 20, 6)


def test_the_summary_says_what_was_read(tmp_path: Path) -> None:
    summary = read_data(write_sets(tmp_path)).summary
    assert summary["counts"] == {name: {"genuine": 48, "impostor": 96} for name in ("dev", "test")}
    assert "3 systems: face, voice, gait; dev: 48 genuine and 96 impostor trials" in summary["said"]
    assert summary["said"].endswith("; ids: claim, subject")


def test_captions_say_where_thresholds_come_from(tmp_path: Path) -> None:
    dev, test = write_sets(tmp_path)
    apart, same, folds = (read_data(paths).summary["captions"] for paths in ([dev, test], [dev, dev], [dev]))
    assert apart["errors"] == same["errors"] == "Errors on test"
    assert apart["epc"].endswith("the threshold from dev")
    assert same["epc"].endswith("at thresholds from the same trials, a posteriori")
    assert "a posteriori" in same["curve"]
    assert folds["errors"] == "Errors on held-out trials"
    assert folds["epc"].endswith("each judged by a threshold from other folds")
    assert folds["curve"].startswith("of all trials, a posteriori")
    assert apart["interval"] == "95 % interval of the HTER"


def test_systems_are_those_that_are_there_and_not_too_many(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    assert data.chosen([]) == data.systems
    with pytest.raises(TrialsError, match="iris"):
        data.chosen(["iris"])
    with pytest.raises(ParameterError, match="at most 2"):
        data.chosen(data.systems, most=2)


def test_a_changed_or_deleted_file_is_not_answered_from_the_old_reading(tmp_path: Path) -> None:
    paths = write_sets(tmp_path)
    data = read_data(paths)
    data.check_unchanged()
    test = Path(paths[1])
    test.write_text(test.read_text() + test.read_text().splitlines()[-1] + "\n")
    with pytest.raises(InputError, match="has changed"):
        data.check_unchanged()
    test.unlink()
    with pytest.raises(InputError, match="no such file"):
        data.check_unchanged()


def test_steps_are_weights_or_targets_of_two_digits() -> None:
    assert np.array_equal(steps_of(as_criterion("wer-min")), np.linspace(0, 1, 1001))
    targets = steps_of(as_criterion("far"))
    assert (targets[0], targets[-1]) == (1e-6, 0.47)
    assert all(float(f"{target:.1e}") == target for target in targets)
    high = steps_of(as_criterion("precision"))
    assert (high[0], high[-1]) == (0.53, 0.999999)
    assert (np.diff(high) > 0).all()
    assert len(steps_of(as_criterion("eer"))) == 1


@pytest.mark.parametrize(
    ("criterion", "start"), [("eer", None), ("wer-min", 0.5), ("far", 0.01), ("precision-at-least", 0.9)]
)
def test_a_slider_begins_where_it_is_useful(criterion: str, start: float | None) -> None:
    starts = {rule["name"]: rule["start"] for rule in criteria_shown()}
    assert starts[criterion] == start
    assert start is None or start in steps_of(as_criterion(criterion))


@pytest.mark.parametrize("criterion", ["wer-min", "far", "eer"])
def test_a_track_has_what_evaluate_finds_at_each_step(tmp_path: Path, criterion: str) -> None:
    data = read_data(write_sets(tmp_path))
    track = data.track(["voice"], criterion)
    voice, steps = track["systems"]["voice"], track["steps"]
    for k in {0, len(steps) // 2, len(steps) - 1}:
        alpha = None if criterion == "eer" else steps[k]
        known = evaluate(data.dev, data.test, systems="voice", criterion=criterion, alpha=alpha)
        assert voice["threshold"][k] == known.threshold
        assert (voice["false_accepts"][k], voice["false_rejects"][k]) == (
            known.test.false_accepts,
            known.test.false_rejects,
        )


def test_a_given_threshold_is_judged(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    point = {"threshold": 0.7}
    errors = data.at(["face"], point)["systems"]["face"]
    scores = data.test.column("face")
    assert errors["false_accepts"] == np.count_nonzero(~data.test.genuine & (scores > 0.7))
    assert errors["x"] == pytest.approx(float(probit(errors["far"])), abs=1e-5)


def test_a_target_must_be_given() -> None:
    with pytest.raises(ParameterError, match="needs a target"):
        Point.of({"criterion": "far"})
    with pytest.raises(ParameterError, match="criterion must be one of"):
        Point.of({"criterion": "os:system"})


def test_errors_are_shown_with_their_place(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    shown = errors_shown(Point("eer").judged(data.sets, "face").at(0), "face")
    assert set(shown) >= {"threshold", "far", "frr", "hter", "false_accepts", "false_rejects", "x", "y"}


def test_curves_are_those_of_the_library(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    look = data.look(["voice", "face"])
    assert [system["name"] for system in look["systems"]] == ["voice", "face"]
    voice = look["systems"][0]
    curve = roc_curve(data.test, system="voice", max_points=2000)
    assert np.array_equal(voice["roc"]["x"], curve.far)
    assert np.array_equal(voice["roc"]["y"], 1 - curve.frr)
    assert np.array_equal(voice["hter"], performance_curve(data.dev, data.test, system="voice").hter)
    assert look["axes"]["det"]["x"]["low"] < look["axes"]["det"]["x"]["high"]


def test_errors_at_a_dragged_threshold_are_looked_up_as_they_are_counted(tmp_path: Path) -> None:
    data = read_data(write_sets(tmp_path))
    scores = np.sort(data.test.column("voice"))
    for threshold in (-10.0, float(scores[7]), float(np.nextafter(scores[7], -np.inf)), 0.5, 10.0):
        point = {"threshold": threshold}
        counted = data.at(["voice"], point)
        data.look(["voice"])
        assert data.at(["voice"], point) == counted
        data._curves.clear()
        data._sorted.clear()
