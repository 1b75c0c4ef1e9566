"""Correlations of systems within each class."""

import numpy as np
import pytest

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.fusion import system_correlations


def example() -> Trials:
    rng = np.random.default_rng(0)
    genuine = np.arange(900) < 300
    shared = rng.normal(size=(900, 1))
    scores = 3 * genuine[:, None] + rng.normal(size=(900, 3)) + shared * np.where(genuine, 2.0, 0.5)[:, None]
    return Trials.from_arrays(scores, genuine, systems=["face", "voice", "gait"])


def test_correlations_are_those_of_numpy_class_by_class() -> None:
    trials = example()
    found = system_correlations(trials, systems=["gait", "face"])
    for part, rows in ((found.genuine, trials.genuine), (found.impostor, ~trials.genuine)):
        own = trials.select(["gait", "face"]).scores[rows]
        np.testing.assert_allclose(part.correlation, np.corrcoef(own.T), rtol=1e-12)
        np.testing.assert_allclose(part.covariance, np.cov(own.T, bias=True), rtol=1e-12)
        assert part.trials == np.count_nonzero(rows)
    (pair,) = found.pairs()
    assert (pair.a, pair.b) == ("gait", "face")
    assert pair.genuine == pytest.approx(np.corrcoef(trials.scores[trials.genuine][:, [2, 0]].T)[0, 1])
    assert pair.genuine > 0.7 > 0.4 > pair.impostor


def test_trials_without_a_score_are_left_out_and_noted() -> None:
    trials = example()
    trials.scores[:5, 1] = -np.inf
    found = system_correlations(trials)
    assert found.genuine.trials == 295
    assert [(note.code, note.values) for note in found.notes] == [("missing-scores", {"count": 5})]


def test_what_is_refused_and_what_has_no_correlation() -> None:
    trials = example()
    with pytest.raises(ParameterError) as error:
        system_correlations(trials, systems=["face"])
    assert error.value.code == "one-system"
    with pytest.raises(TrialsError) as few:
        system_correlations(trials.rows(np.arange(299, 900)))
    assert few.value.code == "few-trials"
    trials.scores[:, 0] = 1.0
    assert np.isnan(system_correlations(trials).genuine.correlation[0, 1])
