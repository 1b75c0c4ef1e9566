"""A fusion that is saved and applied gives the same scores, whatever it is; other files are refused."""

import json
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from fairtrial import FusionModel, InputError, OutputError, ParameterError, Trials, TrialsError, apply_fusion, fuse
from fairtrial.fusion import FUSIONS, NORMALISATIONS, Fitted, FusionMethod
from fairtrial.fusion.missing import Missing
from fairtrial.fusion.trained import register_classifier


def example(seed: int, *, clients: int = 8) -> Trials:
    rng = np.random.default_rng(seed)
    claim = np.repeat(np.arange(clients), 20)
    genuine = np.arange(len(claim)) % 20 < 6
    scores = (
        rng.normal(2.0 * genuine[:, None], 1, (len(claim), 2)) * [1.0, 4.0] + [5.0, 20.0] + 0.3 * (claim % 3)[:, None]
    )
    return Trials.from_arrays(scores, genuine, systems=["face", "voice"], claim=[f"c{k}" for k in claim])


DEV, TEST = example(0), example(1)


@pytest.mark.parametrize("fusion", list(FUSIONS))
def test_every_method_gives_the_same_after_it_was_saved(fusion: str, tmp_path: Path) -> None:
    result = fuse(DEV, TEST, fusion=fusion, folds=3)
    result.model.save(tmp_path / "model.json")
    model = FusionModel.load(tmp_path / "model.json")
    assert model.apply(TEST).column().tolist() == result.scores.test.column().tolist()
    applied = apply_fusion(model, TEST)
    assert applied.fused.at(0).to_dict() == result.evaluation.test.to_dict()
    assert [base.at(0).hter for base in applied.baselines] == [base.test.hter for base in result.baselines]
    assert (applied.gain, applied.best) == (result.gain, result.best)
    assert (applied.kind, applied.test.threshold) == ("at a given threshold", "fixed")


@pytest.mark.parametrize("normalise", list(NORMALISATIONS))
def test_every_normalisation_gives_the_same_after_it_was_saved(normalise: str, tmp_path: Path) -> None:
    result = fuse(DEV, TEST, normalise=normalise, folds=3)
    result.model.save(tmp_path / "model.json")
    model = FusionModel.load(tmp_path / "model.json")
    assert model.apply(TEST).column().tolist() == result.scores.test.column().tolist()
    assert model.threshold == result.evaluation.threshold


def test_clients_that_the_model_does_not_know_get_what_is_of_all(tmp_path: Path) -> None:
    more = example(1, clients=10)
    expected = fuse(DEV, more, normalise="z-norm", folds=3).scores.test.column()
    fuse(DEV, TEST, normalise="z-norm", folds=3).model.save(tmp_path / "model.json")
    assert FusionModel.load(tmp_path / "model.json").apply(more).column().tolist() == expected.tolist()


def test_other_trials_need_what_the_model_needs() -> None:
    model = fuse(DEV, TEST, fusion="client-weights", folds=3).model
    with pytest.raises(TrialsError, match="there is no system 'voice'; there are face"):
        model.apply(TEST.select(["face"]))
    with pytest.raises(TrialsError, match="needs trials with claim ids"):
        model.apply(Trials(TEST.scores, TEST.genuine, TEST.systems))


def test_missing_scores_are_treated_as_when_the_model_was_made(tmp_path: Path) -> None:
    scores = TEST.scores.copy()
    scores[3, 0] = -inf
    lacking = Trials(scores, TEST.genuine, TEST.systems, claim=TEST.claim)
    with pytest.raises(TrialsError, match="1 trial without the score of a system"):
        fuse(DEV, TEST).model.apply(lacking)
    policies: tuple[Missing, ...] = ("reject", "neutral")
    for policy in policies:
        once = fuse(DEV, lacking, missing=policy)
        once.model.save(tmp_path / "model.json")
        applied = FusionModel.load(tmp_path / "model.json").apply(lacking)
        assert applied.column().tolist() == once.scores.test.column().tolist()
        assert "1 trial without the score of a system" in applied.notes[0]


def test_infinite_thresholds_survive(tmp_path: Path) -> None:
    equal = Trials.from_arrays(np.ones((6, 2)), np.arange(6) < 3, systems=["a", "b"])
    model = fuse(equal, equal).model
    assert model.threshold == -inf
    model.save(tmp_path / "model.json")
    assert FusionModel.load(tmp_path / "model.json").threshold == -inf


@pytest.fixture
def without_more_methods() -> Any:
    before = dict(FUSIONS)
    yield
    FUSIONS.clear()
    FUSIONS.update(before)


@pytest.mark.usefixtures("without_more_methods")
def test_what_is_no_names_and_numbers_is_not_saved() -> None:
    register_classifier("forest", lambda: RandomForestClassifier(3, random_state=0))
    own = FusionMethod("own", lambda data: Fitted(lambda scores, claim: scores[:, 0]))
    for fusion in ("forest", own):
        for normalise in ("none", "z"):
            with pytest.raises(ParameterError, match=r"(forest|own) cannot be saved: it is a method of your own, or a"):
                fuse(DEV, TEST, fusion=fusion, normalise=normalise).model  # noqa: B018


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not a model that was saved by fuse: it is not valid JSON"),
        ("\x80\x04pickle", "it is not valid JSON"),
        ("[1, 2]", "is not a model that was saved by fuse"),
        ('{"systems": []}', "is not a model that was saved by fuse"),
        ('{"kind": "fairtrial fusion model", "version": 7}', "of version '7', and this fairtrial reads version 1"),
        ('{"kind": "fairtrial fusion model", "version": 1}', "is damaged: 'missing' is missing"),
    ],
)
def test_a_foreign_file(content: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text(content, encoding="latin-1")
    with pytest.raises(InputError, match=message):
        FusionModel.load(file)


def damage(content: dict[str, Any], path: str, value: Any) -> None:
    *way, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    place: Any = content
    for part in way:
        place = place[part]
    place[last] = value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("threshold", None, "a number is expected, not 'None'"),
        ("threshold", "high", "could not convert string"),
        ("systems", [], "it fuses nothing"),
        ("systems/0/name", "", "a name is expected"),
        ("steps", [], "it fuses nothing"),
        ("steps/0/operation", "exec", "there is no operation 'exec'"),
        ("steps/0/numbers/centre", [1.0, 2.0, 3.0], "is damaged"),
        ("steps/0/numbers/centre", ["a", "b"], "could not convert"),
        ("steps/0/numbers/centre", [[1.0, 2.0], [3.0]], "is damaged"),
        ("steps/0/numbers/more", [1.0], "unexpected keyword"),
        ("steps/1/numbers/weights", [1.0, 2.0, 3.0], "is damaged"),
        ("steps/1", {"operation": "scale", "numbers": {"centre": [0, 0], "scale": [1, 1]}}, "one score per trial"),
        ("missing/policy", "magic", "not known, 'magic'"),
        ("clients", [1], "a name is expected"),
    ],
)
def test_a_damaged_file(path: str, value: Any, message: str, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    fuse(DEV, TEST, fusion="logistic", normalise="z").model.save(file)
    content = json.loads(file.read_text())
    damage(content, path, value)
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r'its checksum does not fit what it holds; .*, or take "checksum" out'):
        FusionModel.load(file)
    del content["checksum"]
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        FusionModel.load(file)


def test_a_file_that_is_cut_off_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    fuse(DEV, TEST, fusion="weighted-mean").model.save(file)
    whole = file.read_bytes()
    for length in range(0, len(whole) - 2, 40):
        file.write_bytes(whole[:length])
        with pytest.raises(InputError):
            FusionModel.load(file)


def test_places_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: cannot be read"):
        FusionModel.load(tmp_path / "none.json")
    with pytest.raises(OutputError, match="cannot be written"):
        fuse(DEV, TEST).model.save(tmp_path / "nowhere" / "model.json")
