"""A fusion that is saved and applied gives the same scores, whatever it is; other files are refused."""

import json
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.ensemble import RandomForestClassifier

from fairtrial import InputError, OutputError, ParameterError, Trials, TrialsError, fuse
from fairtrial.core.notes import Note
from fairtrial.fusion import FusionModel
from fairtrial.fusion.methods import FUSIONS, FusionMethod, register_classifier
from fairtrial.fusion.model import OPERATIONS, Fitted, Missing, Step, run_steps
from fairtrial.fusion.normalise import NORMALISATIONS


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
    result = fuse(DEV, TEST, fusion=fusion, inner_folds=3)
    result.model.save(tmp_path / "model.json")
    model = FusionModel.load(tmp_path / "model.json")
    assert model.apply(TEST).column().tolist() == result.scores.test.column().tolist()
    applied = fuse(None, TEST, model=tmp_path / "model.json")
    assert applied.evaluation.test == result.evaluation.test
    assert [base.test for base in applied.baselines] == [base.test for base in result.baselines]
    assert (applied.gain, applied.best) == (result.gain, result.best)
    assert (applied.kind, applied.test.threshold) == ("at a given threshold", "fixed")


@pytest.mark.parametrize("normalise", list(NORMALISATIONS))
def test_every_normalisation_gives_the_same_after_it_was_saved(normalise: str, tmp_path: Path) -> None:
    result = fuse(DEV, TEST, normalise=normalise, inner_folds=3)
    result.model.save(tmp_path / "model.json")
    model = FusionModel.load(tmp_path / "model.json")
    assert model.apply(TEST).column().tolist() == result.scores.test.column().tolist()
    assert model.threshold == result.evaluation.threshold


def test_clients_that_the_model_does_not_know_get_what_is_of_all(tmp_path: Path) -> None:
    more = example(1, clients=10)
    expected = fuse(DEV, more, normalise="z-norm", inner_folds=3).scores.test.column()
    fuse(DEV, TEST, normalise="z-norm", inner_folds=3).model.save(tmp_path / "model.json")
    assert FusionModel.load(tmp_path / "model.json").apply(more).column().tolist() == expected.tolist()


def test_other_trials_need_what_the_model_needs() -> None:
    model = fuse(DEV, TEST, fusion="client-weights", inner_folds=3).model
    with pytest.raises(TrialsError):
        model.apply(TEST.select(["face"]))
    with pytest.raises(TrialsError) as error:
        model.apply(Trials(TEST.scores, TEST.genuine, TEST.systems))
    assert error.value.code == "no-claims"


def test_missing_scores_are_treated_as_when_the_model_was_made(tmp_path: Path) -> None:
    scores = TEST.scores.copy()
    scores[3, 0] = -inf
    lacking = Trials(scores, TEST.genuine, TEST.systems, claim=TEST.claim)
    with pytest.raises(TrialsError) as error:
        fuse(DEV, TEST).model.apply(lacking)
    assert error.value.code == "missing-scores"
    policies: tuple[Missing, ...] = ("reject", "neutral")
    for policy in policies:
        once = fuse(DEV, lacking, missing=policy)
        once.model.save(tmp_path / "model.json")
        applied = FusionModel.load(tmp_path / "model.json").apply(lacking)
        assert applied.column().tolist() == once.scores.test.column().tolist()
        (note,) = applied.notes
        assert isinstance(note, Note)
        assert (note.code, note.values) == ("missing-scores", {"count": 1, "policy": policy})


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
            with pytest.raises(ParameterError) as error:
                fuse(DEV, TEST, fusion=fusion, normalise=normalise).model  # noqa: B018
            assert error.value.code == "cannot-be-saved"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "not-a-model"),
        ("\x80\x04pickle", "not-a-model"),
        ("[1, 2]", "not-a-model"),
        ('{"systems": []}', "not-a-model"),
        ('{"kind": "fairtrial calibration", "version": 1}', "not-a-model"),
        ('{"kind": "fairtrial fusion model", "version": 7}', "model-version"),
        ('{"kind": "fairtrial fusion model", "version": 1}', "missing-key"),
    ],
)
def test_a_foreign_file(content: str, code: str, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text(content, encoding="latin-1")
    with pytest.raises(InputError) as error:
        FusionModel.load(file)
    assert error.value.code == code


def damage(content: dict[str, Any], path: str, value: Any) -> None:
    *way, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    place: Any = content
    for part in way:
        place = place[part]
    place[last] = value


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("threshold", None, "value"),
        ("threshold", "high", "value"),
        ("threshold", 10**400, "value"),
        ("alpha", float("nan"), "value"),
        ("systems", [], "value"),
        ("systems/0/name", "", "value"),
        ("steps", [], "value"),
        ("steps/0/operation", "exec", "value"),
        ("steps/0/numbers/centre", [1.0, 2.0, 3.0], "model-damaged"),
        ("steps/0/numbers/centre", ["a", "b"], "value"),
        ("steps/0/numbers/centre", [[1.0, 2.0], [3.0]], "value"),
        ("steps/0/numbers/centre", [10**309, 1.0], "value"),
        ("steps/0/numbers/centre", [float("nan"), 1.0], "value"),
        ("steps/0/numbers/centre", [float("inf"), 1.0], "value"),
        ("steps/0/numbers/more", [1.0], "model-damaged"),
        ("steps/1/numbers/weights", [1.0, 2.0, 3.0], "model-damaged"),
        ("steps/1", {"operation": "scale", "numbers": {"centre": [0, 0], "scale": [1, 1]}}, "model-damaged"),
        ("missing/policy", "magic", "value"),
        ("missing/neutral", [10**400], "value"),
        ("clients", [1], "value"),
    ],
)
def test_a_damaged_file(path: str, value: Any, code: str, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    fuse(DEV, TEST, fusion="logistic", normalise="z").model.save(file)
    content = json.loads(file.read_text())
    damage(content, path, value)
    file.write_text(json.dumps(content))
    with pytest.raises(InputError) as damaged:
        FusionModel.load(file)
    assert damaged.value.code == "model-checksum"
    del content["sha256"]
    file.write_text(json.dumps(content))
    with pytest.raises(InputError) as error:
        FusionModel.load(file)
    assert error.value.code == code


def test_a_file_that_is_cut_off_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    fuse(DEV, TEST, fusion="weighted-mean").model.save(file)
    whole = file.read_bytes()
    for length in range(0, len(whole) - 2, 40):
        file.write_bytes(whole[:length])
        with pytest.raises(InputError):
            FusionModel.load(file)


def test_places_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        FusionModel.load(tmp_path / "none.json")
    with pytest.raises(OutputError):
        fuse(DEV, TEST).model.save(tmp_path / "nowhere" / "model.json")


def test_the_checksum_of_a_model_that_was_saved_before_is_still_checked(tmp_path: Path) -> None:
    before = Path(__file__).parents[1] / "contract" / "files" / "fusion-logistic.json"
    content = json.loads(before.read_text())
    assert FusionModel.load(before).fusion == "logistic"
    content["threshold"] += 1e-9
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(InputError) as error:
        FusionModel.load(tmp_path / "model.json")
    assert error.value.code == "model-checksum"


@pytest.mark.parametrize(
    ("operation", "numbers"),
    [
        ("linear", {"weights": np.array([1e308, 1e308]), "intercept": np.array(0.0)}),
        ("scale", {"centre": np.zeros(2), "scale": np.full(2, 5e-324)}),
    ],
)
def test_scores_beyond_the_range_of_floats_are_refused(operation: str, numbers: dict[str, np.ndarray]) -> None:
    step = Step(operation, numbers)
    with pytest.raises(ParameterError) as caught:
        step(np.full((3, 2), 2.0), None)
    assert caught.value.code == "overflow"
    assert np.isinf(step(np.full((3, 2), np.inf), None)).all()


def test_steps_are_done_one_after_the_other() -> None:
    steps = [Step("scale", {"centre": np.array([1.0, 2.0]), "scale": np.array([2.0, 4.0])}), Step("max")]
    assert run_steps(steps, np.array([[3.0, 4.0], [1.0, 10.0]]), None).tolist() == [[1.0], [2.0]]


def test_what_is_fitted_for_each_client_needs_to_know_the_client() -> None:
    step = Step("linear-by-client", {"weights": np.array([[1.0, 0.0], [0.5, 0.5]])})
    assert step.operation.by_client
    assert step(np.array([[2.0, 4.0], [2.0, 4.0]]), np.array([0, 1])).tolist() == [[2.0], [3.0]]
    with pytest.raises(TrialsError, match="needs claim ids"):
        step(np.array([[2.0, 4.0]]), None)


@given(arrays(np.float64, (7, 3), elements=st.floats(-1e6, 1e6)))
def test_fixed_rules_against_python(scores: np.ndarray) -> None:
    rules: dict[str, Any] = {"mean": lambda row: sum(row) / 3, "min": min, "max": max}
    rules["median"] = lambda row: sorted(row)[1]
    for name, rule in rules.items():
        expected = [[rule(row)] for row in scores.tolist()]
        np.testing.assert_allclose(OPERATIONS[name].apply(scores, None), expected, rtol=1e-9, atol=1e-6)


def test_kernel_in_parts_is_the_kernel_of_all() -> None:
    rng = np.random.default_rng(0)
    scores, vectors, coefficients = rng.normal(size=(5000, 2)), rng.normal(size=(20, 2)), rng.normal(size=20)
    numbers = {"vectors": vectors, "coefficients": coefficients, "gamma": np.array(0.7), "intercept": np.array(0.1)}
    found = OPERATIONS["kernel"].apply(scores, None, **numbers)[:, 0]
    squares = ((scores[:, None, :] - vectors) ** 2).sum(axis=2)
    np.testing.assert_allclose(found, np.exp(-0.7 * squares) @ coefficients + 0.1, atol=1e-10)
