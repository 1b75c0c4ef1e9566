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
_KNOWN = ({0, 1}, {-1, 1})
"""Labels among which the larger one is plainly genuine."""


def flat(values: Any, what: str) -> NDArray[Any]:
    """An array of one value per trial, of a list, an array or a tensor; a column of one is taken as such."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if "bfloat16" in str(values.dtype):  # which NumPy does not know
            values = values.float()
    found = np.asarray(values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise TrialsError(f"{what} must be one value per trial, not of shape {found.shape}")
    return found


def genuine_of(labels: Any, genuine_label: Label | None) -> NDArray[np.bool_]:
    """Which trials are genuine.

    Parameters
    ----------
    labels
        One label per trial.
    genuine_label
        The label of genuine trials; None: 1 of 0 and 1 or of -1 and 1, or True.

    Raises
    ------
    ParameterError
        Labels that do not tell by themselves which are genuine.
    """
    found = flat(labels, "labels")
    if genuine_label is not None:
        return np.asarray(found == genuine_label)
    if found.dtype == np.bool_:
        return found
    distinct = set(np.unique(found).tolist())
    if not any(distinct <= known for known in _KNOWN):
        raise ParameterError(
            f"the labels are {listed(sorted(distinct, key=str))}; say which means genuine, as in genuine_label=..."
        )
    return np.asarray(found == 1)


def split_classes(scores: Any, labels: Any, genuine_label: Label | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """The scores of genuine and of impostor trials."""
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
        The label of genuine trials. By default 1, where labels are 0 and 1 or -1 and 1, or True.
    definition : str, default "step-mean"
        As in `equal_error_rate`.

    Returns
    -------
    float
        A fraction, from 0 to 1. Lower is better.

    Raises
    ------
    ParameterError
        Labels that do not tell which are genuine, or an unknown definition.
    TrialsError
        Scores and labels that do not fit each other, a NaN, or a class without trials.

    Notes
    -----
    Its threshold is that of the same trials: it is a posteriori, and better than what will be met in use. It ranks
    models; `DevThresholdScorer` says what they would do.

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
        Chosen on other trials.
    genuine_label : str, float or bool, optional
        As in `eer_score`.

    Returns
    -------
    float
        (FAR + FRR) / 2, a fraction. Lower is better.

    Raises
    ------
    ParameterError
        Labels that do not tell which are genuine, or a threshold that is NaN.
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
    """A scorer that fixes the threshold of a fitted model on dev trials, and reports its errors on others.

    It goes where scikit-learn takes ``scoring=``, and is called as ``scorer(estimator, X, y)``.

    Parameters
    ----------
    inputs : array_like
        What the estimator takes: the dev trials, none of which may be among those it is fitted or judged on.
    labels : array_like of shape (n,)
        One label per dev trial.
    criterion : str, Criterion or callable, default "eer"
        How the threshold is chosen on dev.
    alpha : float, optional
        The weight or the target that the criterion takes, where it takes one.
    measure : str, Measure or callable, default "hter"
        What is reported.
    genuine_label : str, float or bool, optional
        As in `eer_score`.

    Notes
    -----
    The estimator's ``decision_function`` gives the scores, or its ``predict_proba`` where it has none. As
    scikit-learn maximises, an error rate is reported as its negative.

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
            Higher is better: the measure, or the negative of one of which less is better.

        Raises
        ------
        ParameterError
            An estimator that gives no scores or knows more than two classes, or labels that do not tell which are
            genuine.
        TrialsError
            A class without trials, in dev or here.
        """
        rule, figure = as_criterion(self.criterion), as_measure(self.measure)
        weight = rule.resolve_alpha(self.alpha)
        dev, own = (
            split_classes(self._scores(estimator, x), y, self.genuine_label)
            for x, y in ((self.inputs, self.labels), (inputs, labels))
        )
        threshold = choose_thresholds(dev, rule, weight).threshold[0]
        value = float(figure(count_errors(own, threshold).scalar(), weight))
        return value if figure.higher_is_better else -value

    def _scores(self, estimator: Any, inputs: Any) -> Any:
        """Scores that are higher for genuine trials."""
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
