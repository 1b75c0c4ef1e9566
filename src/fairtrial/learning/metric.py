"""A metric with the interface of torch's: updated batch by batch, merged between processes, computed at the end."""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from typing import Any

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import term
from fairtrial.counting.counter import PRECISION, Counter
from fairtrial.learning.scorers import Label, flat, genuine_of
from fairtrial.rules.bounds import Bounds
from fairtrial.rules.eer import equal_error_rate
from fairtrial.rules.measures import MeasureLike, as_measure


class VerificationMetric:
    """The equal error rate, or a measure at a threshold fixed beforehand, of scores in batches.

    It has the methods of torch's metrics: ``update``, ``merge_state`` and ``reset``, which return the metric, and
    ``compute``. It does not need torch, and accepts tensors, arrays and lists.

    Parameters
    ----------
    threshold : float, optional
        A threshold chosen on other trials; scores above it are accepted. Without it, the equal error rate is computed,
        whose threshold comes from the same trials.
    measure : str, Measure or callable, default "hter"
        What is reported at the threshold.
    genuine_label : str, float or bool, optional
        The label of genuine trials; by default True, or 1 if labels are 0 and 1 or -1 and 1.
    precision : float, default 0.0001
        The largest distance between the bounds of the equal error rate, relative to it; see `Counter`.

    Raises
    ------
    ParameterError
        If the precision or threshold is out of range, or the measure is unknown.

    Notes
    -----
    It holds a `Counter`: its memory is bounded for any number of trials, its results do not depend on the order of
    batches or on their division among processes, and errors at the threshold are exact. It can be pickled.

    Examples
    --------
    >>> metric = VerificationMetric()
    >>> for scores, labels in [([0.9, 0.8, 0.1, 0.3], [1, 1, 0, 0]), ([0.4, 0.7, 0.5, 0.2, 0.6], [1, 1, 0, 0, 0])]:
    ...     _ = metric.update(scores, labels)
    >>> metric.compute()
    0.225
    >>> VerificationMetric(threshold=0.45).update([0.9, 0.4, 0.5, 0.1], [1, 1, 0, 0]).compute()
    0.5
    """

    def __init__(
        self,
        threshold: float | None = None,
        *,
        measure: MeasureLike = "hter",
        genuine_label: Label | None = None,
        precision: float = PRECISION,
    ) -> None:
        self.threshold = threshold
        self.measure = as_measure(measure)
        self.genuine_label = genuine_label
        self.counter = Counter(precision=precision, thresholds=None if threshold is None else [threshold])
        """The counts so far, which can be saved, merged and evaluated."""

    def __repr__(self) -> str:
        what = "EER" if self.threshold is None else f"{term(self.measure.label)} at {self.threshold:g}"
        return f"<VerificationMetric: {what} of {len(self.counter):,} trials>"

    def update(self, scores: Any, labels: Any) -> VerificationMetric:
        """Count a batch.

        Parameters
        ----------
        scores : array_like or tensor of shape (n,) or (n, 1)
            One score per trial; higher means genuine.
        labels : array_like or tensor of shape (n,) or (n, 1)
            One label per trial.

        Returns
        -------
        VerificationMetric
            Itself.

        Raises
        ------
        ParameterError
            If labels do not determine which trials are genuine.
        TrialsError
            If a score is NaN, or the numbers of scores and labels differ. Nothing of the batch is counted then.
        """
        self.counter.update(flat(scores, "scores"), genuine_of(labels, self.genuine_label))
        return self

    def compute(self) -> float:
        """Compute the figure of all trials so far.

        Returns
        -------
        float
            NaN while a class has no trials.
        """
        if not self.counter.genuine or not self.counter.impostor:
            return nan
        if self.threshold is None:
            return equal_error_rate(self.counter).value
        return float(self.measure(self.counter.errors_at(self.threshold)))

    def bounds(self) -> Bounds:
        """Compute bounds of the figure of the exact scores.

        Returns
        -------
        Bounds
            Low and high: the same number at a threshold, or with few distinct scores; NaN while a class has no trials.
        """
        if self.threshold is None and self.counter.genuine and self.counter.impostor:
            bounds = equal_error_rate(self.counter).bounds
            assert bounds is not None
            return bounds
        value = self.compute()
        return Bounds(value, value)

    def merge_state(self, metrics: Iterable[VerificationMetric]) -> VerificationMetric:
        """Add the counts of other metrics, such as those of other processes, which are not changed.

        Parameters
        ----------
        metrics : iterable of VerificationMetric
            Metrics of the same figure and precision.

        Returns
        -------
        VerificationMetric
            Itself.

        Raises
        ------
        ParameterError
            If a metric has another figure, threshold or precision. Nothing is counted then.
        """
        others = list(metrics)
        for other in others:
            if self.measure.name != other.measure.name or self.counter.settings() != other.counter.settings():
                raise ParameterError(
                    f"metrics of different figures or precisions cannot be merged: {self!r} and {other!r}"
                )
        for other in others:
            self.counter.merge(other.counter)
        return self

    def reset(self) -> VerificationMetric:
        """Forget all trials.

        Returns
        -------
        VerificationMetric
            Itself.
        """
        self.counter = self.counter.emptied()
        return self
