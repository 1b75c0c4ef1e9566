"""Score models in scikit-learn: figures for ``make_scorer``, and a scorer with its threshold from dev."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairtrial.core.errors import ParameterError, TrialsError
from fairtrial.core.words import listed, plural
from fairtrial.counting.tallies import count_errors
from fairtrial.rules.criteria import CriterionLike, as_criterion, choose_thresholds
from fairtrial.rules.eer import EerDefinition, equal_error_rate
from fairtrial.rules.measures import MeasureLike, as_measure

Label: TypeAlias = str | float | bool
_KNOWN = ({0, 1}, {-1, 1})  # pairs of labels of which the larger means genuine


def flat(values: Any, what: str) -> NDArray[Any]:
    """Make a one-dimensional array of a list, an array, a tensor, or a table of one column."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if "bfloat16" in str(values.dtype):  # which NumPy does not know
            values = values.float()
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise TrialsError(f"{what} must be one value per trial, not of shape {array.shape}")
    return array


def genuine_of(labels: Any, genuine_label: Label | None) -> NDArray[np.bool_]:
    """Mark genuine trials: those with this label, or with True, or with 1 among 0 and 1 or -1 and 1.

    Raises
    ------
    ParameterError
        If there is no `genuine_label`, and the labels are others.
    """
    values = flat(labels, "labels")
    if genuine_label is not None:
        return np.asarray(values == genuine_label)
    if values.dtype == np.bool_:
        return values
    distinct = set(np.unique(values).tolist())
    if not any(distinct <= known for known in _KNOWN):
        raise ParameterError(
            f"the labels are {listed(sorted(distinct, key=str))}; say which means genuine, as in genuine_label=..."
        )
    return np.asarray(values == 1)


def split_classes(scores: Any, labels: Any, genuine_label: Label | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Split scores into those of genuine and of impostor trials."""
    values, genuine = flat(scores, "scores"), genuine_of(labels, genuine_label)
    if len(values) != len(genuine):
        raise TrialsError(f"there are {plural(len(values), 'score')} and {plural(len(genuine), 'label')}")
    return values[genuine], values[~genuine]


def eer_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    genuine_label: Label | None = None,
    definition: EerDefinition = "step-mean",
) -> float:
    """Compute the equal error rate of labels and scores, as scikit-learn's metrics are called.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        One label per trial.
    y_score : array_like of shape (n,)
        One score per trial; higher means genuine.
    genuine_label : str, float or bool, optional
        The label of genuine trials; by default True, or 1 if labels are 0 and 1 or -1 and 1.
    definition : str, default "step-mean"
        As in `equal_error_rate`.

    Returns
    -------
    float
        A fraction, from 0 to 1. Lower is better.

    Raises
    ------
    ParameterError
        If labels do not determine which trials are genuine, or the definition is unknown.
    TrialsError
        If the numbers of scores and labels differ, a score is NaN, or a class has no trials.

    Notes
    -----
    Its threshold comes from the same trials: it is a posteriori, and lower than the error rate to expect in use. Use it
    to rank models, and `DevThresholdScorer` to estimate their errors.

    Examples
    --------
    >>> eer_score([1, 1, 1, 1, 0, 0, 0, 0, 0], [0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6])
    0.225
    >>> from sklearn.metrics import make_scorer
    >>> scorer = make_scorer(eer_score, response_method="decision_function", greater_is_better=False)
    """
    return float(equal_error_rate(split_classes(y_score, y_true, genuine_label), definition=definition).value)


def hter_score(y_true: ArrayLike, y_score: ArrayLike, *, threshold: float, genuine_label: Label | None = None) -> float:
    """Compute the half total error rate at a threshold that was fixed beforehand, as scikit-learn's metrics are called.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        One label per trial.
    y_score : array_like of shape (n,)
        One score per trial; those above the threshold are accepted.
    threshold : float
        A threshold chosen on other trials.
    genuine_label : str, float or bool, optional
        As in `eer_score`.

    Returns
    -------
    float
        (FAR + FRR) / 2, a fraction. Lower is better.

    Raises
    ------
    ParameterError
        If labels do not determine which trials are genuine, or the threshold is NaN.
    TrialsError
        As in `eer_score`.

    Examples
    --------
    >>> hter_score([1, 1, 1, 1, 0, 0, 0, 0, 0], [0.9, 0.8, 0.4, 0.7, 0.1, 0.3, 0.5, 0.2, 0.6], threshold=0.45)
    0.325
    >>> from sklearn.metrics import make_scorer
    >>> scorer = make_scorer(hter_score, response_method="predict_proba", greater_is_better=False, threshold=0.3)
    """
    return float(count_errors(split_classes(y_score, y_true, genuine_label), threshold).scalar().hter)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DevThresholdScorer:
    """A scorer that chooses the threshold of a fitted model on dev trials, and reports its errors on others.

    It is a value of scikit-learn's ``scoring=``, and is called as ``scorer(estimator, X, y)``.

    Parameters
    ----------
    inputs : array_like
        The inputs of the estimator for dev trials, none of which may be among those it is fitted or judged on.
    labels : array_like of shape (n,)
        One label per dev trial.
    criterion : str, Criterion or callable, default "eer"
        How the threshold is chosen on dev.
    alpha : float, optional
        The weight or the target that the criterion takes, if it takes one.
    measure : str, Measure or callable, default "hter"
        What is reported.
    genuine_label : str, float or bool, optional
        As in `eer_score`.

    Notes
    -----
    Scores come from the estimator's ``decision_function``, or from ``predict_proba`` if it has none. As scikit-learn
    maximises, an error rate is reported as its negative.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 60)
    >>> X = rng.normal(size=(120, 2)) + 2 * y[:, None]
    >>> scorer = DevThresholdScorer(X[::3], y[::3])
    >>> rest = np.arange(120) % 3 > 0
    >>> cross_val_score(LogisticRegression(), X[rest], y[rest], scoring=scorer, cv=4).round(3)
    array([-0.1 , -0.25, -0.1 , -0.2 ])
    """

    inputs: Any
    labels: Any
    criterion: CriterionLike = "eer"
    alpha: float | None = None
    measure: MeasureLike = "hter"
    genuine_label: Label | None = None

    def __repr__(self) -> str:
        return f"<DevThresholdScorer: {as_measure(self.measure).name} at {as_criterion(self.criterion).name} of dev>"

    def __call__(self, estimator: Any, inputs: Any, labels: Any) -> float:
        """Judge a fitted estimator on trials that are not dev.

        Parameters
        ----------
        estimator : object
            With ``decision_function`` or ``predict_proba``, and ``classes_``.
        inputs, labels : array_like
            The trials, and one label for each.

        Returns
        -------
        float
            The measure, negated if lower is better.

        Raises
        ------
        ParameterError
            If the estimator gives no scores or has more than two classes, or labels do not determine which trials are
            genuine.
        TrialsError
            If a class has no trials, in dev or here.
        """
        rule, figure = as_criterion(self.criterion), as_measure(self.measure)
        weight = rule.resolve_alpha(self.alpha)
        dev, judged = (
            split_classes(self._scores(estimator, x), y, self.genuine_label)
            for x, y in ((self.inputs, self.labels), (inputs, labels))
        )
        threshold = choose_thresholds(dev, rule, weight).threshold[0]
        value = float(figure(count_errors(judged, threshold).scalar(), weight))
        return value if figure.higher_is_better else -value

    def _scores(self, estimator: Any, inputs: Any) -> Any:
        """Compute scores that are higher for genuine trials."""
        classes = np.asarray(estimator.classes_).tolist()
        if len(classes) != 2:
            raise ParameterError(f"the estimator knows {len(classes)} classes; a verification system has two")
        genuine = classes[1] if self.genuine_label is None else self.genuine_label
        if genuine not in classes:
            raise ParameterError(f"genuine_label={genuine!r} is not among the classes {classes}")
        if hasattr(estimator, "decision_function"):
            scores = np.asarray(estimator.decision_function(inputs))
            return scores if genuine == classes[1] else -scores
        if hasattr(estimator, "predict_proba"):
            return np.asarray(estimator.predict_proba(inputs))[:, classes.index(genuine)]
        raise ParameterError(
            f"{type(estimator).__name__} has neither decision_function nor predict_proba, so no scores"
        )
