"""Whose evidence is better: two calibrated systems on the same trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np

from fairtrial.calibration.estimates import Evidence, Figure, claim_of
from fairtrial.calibration.measures import AnyMeasureLike, EvidenceMeasure, as_any_measure
from fairtrial.calibration.results import CalibratedSystem
from fairtrial.core.errors import ParameterError, TrialsError, as_generator, check_resamples
from fairtrial.core.results import Result
from fairtrial.core.tables import Column, Table
from fairtrial.core.trials import Trials
from fairtrial.core.words import figure_text, listed, p_phrase, plural, term
from fairtrial.inference.bootstrap import Bootstrap
from fairtrial.inference.estimates import Alternative, Threshold
from fairtrial.inference.multiplicity import Correction, adjust_p_values
from fairtrial.inference.people import Cluster
from fairtrial.inference.split import TrialSets
from fairtrial.inference.tests import TestResult, student_test
from fairtrial.inference.variance import contributions

_GROUPS = 1000
_AT_ONCE = 256


@dataclass(frozen=True, slots=True, repr=False)
class EvidencePair(Result):
    """Two systems and the test of the difference of a figure of their evidence.

    Attributes
    ----------
    a, b : str
        The name of the system.
    test : TestResult
        The test of the difference A - B.
    adjusted : float
        The p value adjusted for the number of pairs.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> systems = [ft.calibrate(dev, test, systems=[name]) for name in ("old", "new")]
    >>> ft.calibration.compare_evidence(dev, test, systems)[0].test.p_value < 0.05
    True
    """

    a: str
    b: str
    test: TestResult
    adjusted: float

    def to_dict(self) -> dict[str, Any]:
        """The names of the command line's JSON."""
        return {"a": self.a, "b": self.b, "tests": [{**self.test.to_dict(), "p_adjusted": self.adjusted}]}

    def answer(self) -> str:
        """The difference and the p value."""
        difference = figure_text(self.test.estimate, self.test.is_share)
        return f"{self.a} - {self.b} = {difference} in {term(self.test.label)}, {p_phrase(self.adjusted)} adjusted"

    def tables(self) -> tuple[Table, ...]:
        """The test in one row."""
        columns = (
            Column("pair", "A - B"),
            Column("measure", "name of the measure", detail=True),
            Column("label", "measure", "term"),
            Column("threshold", "calibration", "term"),
            Column("difference", "difference", "figure"),
            Column("sigma", "sigma", "figure"),
            Column("statistic", "statistic", "number"),
            Column("p_value", "p", "p"),
            Column("p_adjusted", "p adjusted", "p"),
        )
        record = {"pair": f"{self.a} - {self.b}", **self.test.cells(), "p_adjusted": self.adjusted}
        caption = f"Tests of the difference A - B in {term(self.test.label)}"
        notes = [self.test.note] if self.test.note else []
        return (Table.of("tests", caption, columns, [record], notes=notes),)


def compare_evidence(
    dev: Trials,
    test: Trials,
    found: Sequence[CalibratedSystem],
    *,
    measure: AnyMeasureLike = "cllr",
    correction: Correction = "holm",
    alternative: Alternative = "two-sided",
    cluster: Cluster | None = None,
) -> list[EvidencePair]:
    """Test all pairs of calibrated systems for a difference in Cllr, or in another figure of evidence.

    Parameters
    ----------
    dev : Trials
        The trials that thresholds are chosen on, and that the calibrations were fitted to.
    test : Trials
        The trials that are judged.
    found : sequence of CalibratedSystem
        What `calibrate` gave for each system.
    measure : str, Measure, EvidenceMeasure, DetectionCosts or callable, default "cllr"
        What is compared: a figure of evidence, as ``cllr``, ``cllr-min`` or ``act-dcf@.01``.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values are adjusted for the number of pairs: by Holm, by Benjamini and Hochberg (``bh``), or not at all.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        What is claimed of A - B: that it is not 0, below 0 (``less``) or above 0 (``greater``).
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all ids that are
        known.

    Returns
    -------
    list of EvidencePair
        One per pair. The test knows who shares trials; where the method says how dev determines the calibration, also
        that dev was a sample: the calibration is re-estimated.

    Raises
    ------
    ParameterError
        A measure, correction or alternative that is not known.
    TrialsError
        A system with infinite evidence for the wrong side, where that makes the measure infinite.

    Examples
    --------
    >>> import numpy as np
    >>> import fairtrial as ft
    >>> genuine = np.arange(800) < 200
    >>> scores = np.random.default_rng(0).normal(np.outer(genuine, [1.5, 3.0]))
    >>> trials = ft.Trials.from_arrays(scores, genuine, systems=["old", "new"])
    >>> dev, test = (trials.rows(np.arange(start, 800, 2)) for start in (0, 1))
    >>> systems = [ft.calibrate(dev, test, systems=[name]) for name in ("old", "new")]
    >>> (pair,) = compare_evidence(dev, test, systems)
    >>> pair.a, pair.b, pair.test.estimate > 0
    ('old', 'new', True)
    """
    if len(found) < 2:
        raise ParameterError(f"a comparison needs two systems, not {plural(len(found), 'system')}")
    known = as_any_measure(measure)
    if not isinstance(known, EvidenceMeasure):
        raise ParameterError(f"{known.name} is a figure of errors at a threshold; compare(...) tests its difference")
    sets = TrialSets(dev, test, cluster)
    evidence = [Evidence(own.calibration, sets) for own in found]
    figures = [known.figure(own) for own in evidence]
    check_finite(known, {own.system: figure for own, figure in zip(found, figures, strict=True)})
    tests = [
        evidence_test(known, evidence[i], figures[i] - figures[j], alternative=alternative)
        for i, j in combinations(range(len(found)), 2)
    ]
    adjusted = adjust_p_values([each.p_value for each in tests], correction).tolist()
    return [
        EvidencePair(a.system, b.system, each, value)
        for (a, b), each, value in zip(combinations(found, 2), tests, adjusted, strict=True)
    ]


def check_finite(measure: EvidenceMeasure, figures: Mapping[str, Figure]) -> None:
    """Raise an error where the figure of a system, by its name, is infinite: no difference from it can be tested."""
    infinite = [name for name, figure in figures.items() if not isfinite(figure.estimate)]
    if infinite:
        raise TrialsError(
            f"{listed(infinite)}: a trial has infinite evidence for the wrong side, so no difference in "
            f"{term(measure.label)} can be tested; leave such systems out"
        )


def evidence_test(
    measure: EvidenceMeasure,
    evidence: Evidence,
    difference: Figure,
    *,
    alternative: Alternative = "two-sided",
    threshold: Threshold = "re-estimated",
) -> TestResult:
    """Test the difference of a figure between two systems on the same trials.

    Parameters
    ----------
    measure
        Which figure.
    evidence
        That of either system.
    difference
        The figure of A less that of B.
    alternative
        What is claimed of A - B.
    threshold
        Whether the calibrations are re-estimated, or taken as they are.
    """
    claim = claim_of(difference, evidence, threshold=threshold)
    found = student_test(evidence.sets.test_name, claim, alternative=alternative)
    note = found.note or measure.caution
    return replace(found, measure=measure.name, is_share=measure.is_share, note=note, label=measure.label)


def bootstrap_figure(
    figure: Figure, evidence: Evidence, *, n_resamples: int = 10_000, rng: int | None = 0
) -> Bootstrap:
    """Bootstrap a figure, or a difference of two: people resampled, or trials where nothing is known of people.

    Parameters
    ----------
    figure
        What is bootstrapped, to first order: each trial adds what it adds.
    evidence
        Where it comes from; of a difference, that of either system.
    n_resamples, rng
        How often, and the seed.

    Notes
    -----
    Replicates have the standard deviation of the test with the calibration as it is. Trials are dealt into groups at
    random, at most 1,000 of each class, and groups are drawn.
    """
    check_resamples(n_resamples)
    generator, people = as_generator(rng), evidence.sets.people[1]
    if people is not None:
        sums = people.error_sums(figure.values)
    else:
        parts = contributions(evidence.genuine, figure.values, (1.0, 1.0))
        sums = np.concatenate(
            [
                np.bincount(generator.permutation(len(own)) % _GROUPS, own)
                for own in (parts[evidence.genuine], parts[~evidence.genuine])
            ]
        )
    found = np.empty(n_resamples)
    for start in range(0, n_resamples, _AT_ONCE):
        rows = found[start : start + _AT_ONCE]
        if people is not None:
            rows[:] = people.draw(len(rows), generator) @ sums
        else:
            rows[:] = generator.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), len(rows)) @ sums
    known = claim_of(figure, evidence, threshold="fixed")
    degrees = None if people is None else known.degrees
    return Bootstrap(figure.estimate, figure.estimate + found - found.mean()).scaled(known.sigma, degrees)
