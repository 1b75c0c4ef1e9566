"""Trained fusion: what scikit-learn itself gives on the same scores."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from fairtrial import ParameterError, Trials, TrialsError
from fairtrial.benchmark.lausanne import load_lausanne
from fairtrial.core.notes import Note
from fairtrial.core.trials import sorted_rows
from fairtrial.fusion.combination import client_folds, fuse_scores
from fairtrial.fusion.fusion import fuse
from fairtrial.fusion.methods import FUSIONS, MOST_IMPOSTORS, FusionMethod, classifier_steps, register_classifier
from fairtrial.fusion.model import Fitted, FusionData, run_steps

TUNED = ("svm-linear", "svm-rbf", "mlp", "gmm")


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Threads only wait for each other in matrices of two columns."""
    with threadpool_limits(1):
        yield


@pytest.fixture(autouse=True)
def leave_no_method_behind() -> Iterator[None]:
    """What a test registers is taken away again."""
    before = dict(FUSIONS)
    yield
    FUSIONS.clear()
    FUSIONS.update(before)


def example(seed: int = 0, *, genuine: int = 150, impostor: int = 450) -> Trials:
    rng = np.random.default_rng(seed)
    flags = np.arange(genuine + impostor) < genuine
    scores = rng.normal([0.0, 10.0] + 2.2 * flags[:, None] * [1.0, 3.0], [1.0, 3.0], (len(flags), 2))
    claim = np.concatenate([np.arange(genuine) % 30, np.arange(impostor) % 30])
    return Trials.from_arrays(scores, flags, systems=["face", "voice"], claim=claim)


DEV, TEST = example(0), example(1)


ORDER = sorted_rows(DEV)
"""Training goes by sorted ids."""


def values_of(notes: Sequence[Note | str]) -> dict[str, Any]:
    return {note.code: note.values for note in notes if isinstance(note, Note)}


def as_data(trials: Trials) -> FusionData:
    return FusionData(trials.scores.astype(np.float64), trials.genuine)


def maximum_likelihood(scores: Any, genuine: Any) -> Callable[[Any], Any]:
    """Log likelihood ratios by logistic regression of scikit-learn, without a penalty and converged."""
    fitted = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(scores, genuine)
    prior = np.mean(genuine)
    return lambda others: fitted.decision_function(others) - np.log(prior / (1 - prior))


@pytest.mark.parametrize(
    ("name", "fit"),
    [
        ("logistic", maximum_likelihood),
        ("lda", lambda scores, genuine: LinearDiscriminantAnalysis().fit(scores, genuine).decision_function),
    ],
)
def test_scores_are_those_of_scikit_learn(name: str, fit: Callable[[Any, Any], Callable[[Any], Any]]) -> None:
    fused = fuse_scores(DEV, TEST, fusion=name)
    fitted = fit(DEV.scores, DEV.genuine)
    for part, before in ((fused.dev, DEV), (fused.test, TEST)):
        assert part.column() == pytest.approx(fitted(before.scores), rel=1e-6)
    assert not fused.cross_validated
    assert fused.notes == ()


def test_qda_scores_are_those_of_scikit_learn_and_those_of_dev_are_held_out() -> None:
    fused = fuse_scores(DEV, TEST, fusion="qda", inner_folds=4, rng=2)
    whole = QuadraticDiscriminantAnalysis().fit(DEV.scores, DEV.genuine)
    assert fused.test.column() == pytest.approx(whole.decision_function(TEST.scores), rel=1e-9)
    expected = np.empty(len(DEV))
    for held_out in client_folds(DEV, 4, 2):
        fitted = QuadraticDiscriminantAnalysis().fit(DEV.scores[~held_out], DEV.genuine[~held_out])
        expected[held_out] = fitted.decision_function(DEV.scores[held_out])
    assert fused.dev.column() == pytest.approx(expected, rel=1e-9)
    assert fused.cross_validated
    assert values_of(fused.notes) == {"held-out": {"folds": 4, "units": "of clients"}}


def test_logistic_regression_on_lausanne_is_that_of_scikit_learn() -> None:
    one = load_lausanne().sets[1]
    systems = ["(FH,MLP)", "(LFCC,GMM)"]
    dev, test = one.dev.select(systems), one.test.select(systems)
    fitted = maximum_likelihood(dev.scores, dev.genuine)
    fused = fuse_scores(dev, test, fusion="logistic", normalise="none")
    assert fused.dev.column() == pytest.approx(fitted(dev.scores), abs=1e-5)
    assert fused.test.column() == pytest.approx(fitted(test.scores), abs=1e-5)


def test_normalised_scores_are_what_a_classifier_is_given() -> None:
    impostor = DEV.scores[~DEV.genuine]
    dev, test = ((part.scores - impostor.mean(axis=0)) / impostor.std(axis=0) for part in (DEV, TEST))
    fused = fuse_scores(DEV, TEST, fusion="logistic", normalise="z")
    assert fused.test.column() == pytest.approx(maximum_likelihood(dev, DEV.genuine)(test), rel=1e-6)


def test_one_gaussian_a_class_against_scipy() -> None:
    data = as_data(DEV)
    found = FUSIONS["gmm"].fit(data, components=1).apply(TEST.scores.astype(np.float64), None)
    scale = DEV.scores.std(axis=0)
    ratios = []
    for rows in (DEV.genuine, ~DEV.genuine):
        own = DEV.scores[rows] / scale
        normal = multivariate_normal(own.mean(axis=0), np.cov(own.T, bias=True) + 1e-4 * np.eye(2))
        ratios.append(normal.logpdf(TEST.scores / scale))
    assert found == pytest.approx(ratios[0] - ratios[1], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("components", [2, 4])
def test_mixtures_give_the_log_likelihood_ratio_of_scikit_learn(components: int) -> None:
    fitted = FUSIONS["gmm"].fit(as_data(DEV), components=components)
    scale = DEV.scores.std(axis=0)
    genuine, impostor = (
        GaussianMixture(components, reg_covar=1e-4, random_state=0).fit(DEV.scores[rows] / scale)
        for rows in (DEV.genuine, ~DEV.genuine)
    )
    scores = TEST.scores.astype(np.float64)
    expected = genuine.score_samples(scores / scale) - impostor.score_samples(scores / scale)
    assert fitted.apply(scores, None) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_mixtures_of_few_trials_have_fewer_components_and_equal_scores_are_no_trouble() -> None:
    dev = example(genuine=12, impostor=60)
    dev.scores[:, 1] = 0.1
    found = FUSIONS["gmm"].fit(as_data(dev), components=4).apply(dev.scores.astype(np.float64), None)
    own = dev.scores[:, 0] / dev.scores[:, 0].std()
    genuine = multivariate_normal(own[dev.genuine].mean(), own[dev.genuine].var() + 1e-4)
    # twelve genuine trials make one component
    impostor = GaussianMixture(4, reg_covar=1e-4, random_state=0).fit(
        np.stack([own, np.full(len(own), 0.1)], axis=1)[~dev.genuine]
    )
    ratio = genuine.logpdf(own) - impostor.score_samples(np.stack([own, np.full(len(own), 0.1)], axis=1))
    constant = multivariate_normal(0.1, 1e-4).logpdf(0.1)
    assert found == pytest.approx(ratio + constant, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", TUNED)
def test_tuned_methods_are_better_than_each_system_and_repeat(name: str) -> None:
    once, again = (fuse(DEV, TEST, fusion=name, inner_folds=3) for _ in range(2))
    assert once.evaluation.test.hter < min(baseline.test.hter for baseline in once.baselines)
    assert once.scores.cross_validated
    assert once.scores.parameters in FUSIONS[name].grid
    assert once.scores.dev.scores.tolist() == again.scores.dev.scores.tolist()
    assert once.scores.test.scores.tolist() == again.scores.test.scores.tolist()
    assert once.to_dict() == again.to_dict()


def test_a_classifier_that_does_not_converge_is_noted() -> None:
    register_classifier("hasty", lambda: LogisticRegression(max_iter=1, tol=1e-12))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = fuse(DEV, TEST, fusion="hasty")
    assert values_of(result.notes)["not-converged"] == {"method": "hasty"}


def test_a_classifier_of_ones_own_by_one_registration() -> None:
    method = register_classifier("bayes", GaussianNB, summary="naive Bayes")
    assert FUSIONS["bayes"] is method
    fused = fuse_scores(DEV, TEST, fusion="bayes")
    impostor, genuine = GaussianNB().fit(DEV.scores, DEV.genuine).predict_log_proba(TEST.scores).T
    assert fused.test.column() == pytest.approx(genuine - impostor, rel=1e-6, abs=1e-9)
    assert fused.name == "bayes(face + voice)"


def test_a_classifier_of_ones_own_with_values_to_choose_from() -> None:
    def make(depth: int) -> Any:
        return RandomForestClassifier(10, max_depth=depth, random_state=0)

    register_classifier("forest", make, grid=[{"depth": depth} for depth in (1, 4)])
    result = fuse(DEV, TEST, fusion="forest", inner_folds=3)
    assert result.scores.parameters in ({"depth": 1}, {"depth": 4})
    fitted = make(**result.scores.parameters).fit(DEV.scores[ORDER], DEV.genuine[ORDER])
    impostor, genuine = np.clip(fitted.predict_proba(TEST.scores), 1e-300, None).T
    assert result.scores.test.column() == pytest.approx(np.log(genuine) - np.log(impostor))
    # probabilities of 0 and 1 are no infinite scores
    assert np.isfinite(result.scores.test.scores).all()


def forest() -> Any:
    return RandomForestClassifier(20, random_state=0)


def log_odds(classifier: Any, scores: NDArray[Any]) -> NDArray[np.float64]:
    impostor, genuine = np.clip(classifier.predict_proba(scores), 1e-300, None).T
    return np.asarray(np.log(genuine) - np.log(impostor))


def test_a_classifier_of_ones_own_has_held_out_dev_scores() -> None:
    register_classifier("forest", forest)
    result = fuse(DEV, TEST, fusion="forest", inner_folds=3, rng=1)
    assert result.scores.cross_validated
    assert result.scores.parameters == {}
    expected = np.empty(len(DEV))
    for held_out in client_folds(DEV, 3, 1):
        rows = ORDER[~held_out[ORDER]]
        fitted = forest().fit(DEV.scores[rows], DEV.genuine[rows])
        expected[held_out] = log_odds(fitted, DEV.scores[held_out])
    assert result.scores.dev.column() == pytest.approx(expected)
    whole = forest().fit(DEV.scores[ORDER], DEV.genuine[ORDER])
    assert result.scores.test.column() == pytest.approx(log_odds(whole, TEST.scores))
    # what it was trained on would look as if it made no errors
    assert result.evaluation.dev is not None
    assert result.evaluation.dev.hter > 0.01


def test_a_classifier_may_keep_the_dev_scores_it_was_trained_on() -> None:
    register_classifier("forest", forest, held_out="none")
    result = fuse(DEV, TEST, fusion="forest")
    assert not result.scores.cross_validated
    assert result.scores.dev.column() == pytest.approx(log_odds(forest().fit(DEV.scores, DEV.genuine), DEV.scores))


@pytest.mark.parametrize("name", list(FUSIONS))
def test_which_methods_follow_algorithm_1(name: str) -> None:
    expected = "within-clients" if name.startswith("client-") else "clients" if name in (*TUNED, "qda") else "none"
    assert FUSIONS[name].held_out == expected


def test_any_method_may_have_held_out_dev_scores() -> None:
    mean = FusionMethod("own", lambda data: Fitted(lambda scores, claim: scores.mean(axis=1)), held_out="clients")
    fused = fuse_scores(DEV, TEST, fusion=mean)
    assert fused.cross_validated
    assert fused.dev.column() == pytest.approx(DEV.scores.mean(axis=1))


def test_too_few_clients_for_the_folds_name_no_option_that_is_not_there() -> None:
    claim = np.where(DEV.genuine, 0, 1 + np.arange(len(DEV)) % 9)
    alone = Trials(
        DEV.scores, DEV.genuine, DEV.systems, claim=Trials.from_arrays(DEV.scores, DEV.genuine, claim=claim).claim
    )
    with pytest.raises(TrialsError, match=r"use other than 5 folds$"):
        fuse_scores(alone, TEST, fusion="svm-linear")


class Certain:
    """Probabilities of 0 and 1 in single precision, as some libraries give them."""

    def fit(self, scores: NDArray[np.float64], genuine: NDArray[np.bool_]) -> None:
        self.middle = scores.mean()

    def predict_proba(self, scores: NDArray[np.float64]) -> NDArray[np.float32]:
        genuine = (scores.mean(axis=1) > self.middle).astype(np.float32)
        return np.stack([1 - genuine, genuine], axis=1)


def test_certain_probabilities_in_single_precision_are_finite_scores() -> None:
    register_classifier("certain", Certain)
    fused = fuse_scores(DEV, TEST, fusion="certain")
    assert sorted(set(fused.test.column().tolist())) == pytest.approx([np.log(1e-300), -np.log(1e-300)])


def test_a_classifier_without_soft_decisions_is_an_error() -> None:
    register_classifier("line", LinearRegression)
    with pytest.raises(ParameterError, match="line: LinearRegression gives decisions only"):
        fuse_scores(DEV, TEST, fusion="line")


def test_what_cannot_be_fitted_is_an_error_that_says_so() -> None:
    scores = np.concatenate([DEV.scores[:, :1], DEV.scores[:, :1]], axis=1)
    twice = Trials.from_arrays(scores, DEV.genuine, systems=DEV.systems)
    with pytest.raises(ParameterError, match=r"qda cannot be fitted on these dev scores: .*not full rank") as caught:
        fuse_scores(twice, twice, fusion="qda")
    assert str(caught.value).endswith("; normalise otherwise, or leave a system out")
    assert "reg_param" not in str(caught.value)


@pytest.mark.parametrize("name", ["logistic", "lda", "qda", *TUNED])
def test_one_class_only(name: str) -> None:
    data = as_data(DEV)
    with pytest.raises(TrialsError, match=r"needs trials of both classes; there is no genuine trial"):
        FUSIONS[name].fit(data.rows(~data.genuine))


def test_slow_methods_are_trained_on_some_impostors_and_say_so() -> None:
    class Counting(GaussianNB):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            trained.append((X.copy(), y.copy()))
            return super().fit(X, y)

    trained: list[tuple[NDArray[np.float64], NDArray[np.bool_]]] = []
    register_classifier("some", Counting, most_impostors=100, held_out="none")
    fused = fuse_scores(DEV, TEST, fusion="some")
    assert values_of(fused.notes) == {"some-impostors": {"method": "some", "trained": 100, "impostors": 450}}
    ((scores, genuine),) = trained
    assert (genuine.sum(), (~genuine).sum()) == (150, 100)
    assert scores[genuine].tolist() == DEV.scores[DEV.genuine].tolist()
    places = [DEV.scores.tolist().index(row) for row in scores[~genuine].tolist()]
    assert places[0] == 150
    assert places[-1] == 599
    assert set(np.diff(places)) == {4, 5}
    few = fuse_scores(DEV.rows(np.arange(250)), TEST, fusion="some")
    assert few.notes == ()


def test_the_methods_that_say_so_are_trained_on_some_impostors() -> None:
    dev = example(genuine=40, impostor=MOST_IMPOSTORS + 1)
    for name in ("svm-rbf", "mlp", "gmm"):
        notes = FUSIONS[name].fit(as_data(dev)).notes
        expected = {"method": name, "trained": MOST_IMPOSTORS, "impostors": MOST_IMPOSTORS + 1}
        assert values_of(notes)["some-impostors"] == expected


def test_scores_that_are_no_numbers_are_an_error() -> None:
    broken = FusionMethod("broken", lambda data: Fitted(lambda scores, claim: np.full(len(scores), np.nan)))
    with pytest.raises(ParameterError, match="broken gave scores that are not numbers"):
        fuse_scores(DEV, TEST, fusion=broken)


RNG = np.random.default_rng(0)
GENUINE = np.arange(240) < 80
SCORES = RNG.normal([0.0, 10.0, -3.0] + 2.0 * GENUINE[:, None], [1.0, 3.0, 0.5], (240, 3))
OTHERS = RNG.normal([0.5, 10.0, -2.0], [2.0, 5.0, 1.0], (100, 3))


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(),
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        LinearSVC(dual=False),
        SVC(),
        SVC(gamma=0.2, C=3),
        make_pipeline(StandardScaler(), SVC()),
        make_pipeline(StandardScaler(with_mean=False), LinearSVC(dual=False)),
        make_pipeline(StandardScaler(with_std=False), QuadraticDiscriminantAnalysis()),
    ],
    ids=str,
)
def test_steps_give_the_decision_function(classifier: Any) -> None:
    classifier.fit(SCORES, GENUINE)
    steps = classifier_steps(classifier)
    expected = classifier.decision_function(OTHERS)
    np.testing.assert_allclose(run_steps(steps, OTHERS, None)[:, 0], expected, rtol=1e-8, atol=1e-9)


def test_steps_of_a_network_give_the_log_odds() -> None:
    classifier = make_pipeline(StandardScaler(), MLPClassifier((4, 3), max_iter=30, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier.fit(SCORES, GENUINE)
    shares = classifier.predict_proba(OTHERS)[:, 1]
    found = run_steps(classifier_steps(classifier), OTHERS, None)[:, 0]
    np.testing.assert_allclose(found, np.log(shares) - np.log1p(-shares), rtol=1e-6, atol=1e-8)


class Mine(LogisticRegression):  # type: ignore[misc]
    """A classifier that computes something else."""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "classifier",
    [
        RandomForestClassifier(3),
        Mine(),
        SVC(kernel="poly"),
        make_pipeline(MinMaxScaler(), LogisticRegression()),
        MLPClassifier((2,), activation="tanh", max_iter=5),
    ],
    ids=str,
)
def test_what_is_not_known_has_no_steps(classifier: Any) -> None:
    assert classifier_steps(classifier.fit(SCORES, GENUINE)) == ()
