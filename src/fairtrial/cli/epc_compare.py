"""What `epc` and the figures of two curves say of their difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fairtrial.cli import options
from fairtrial.cli.options import ChanceOptions, choice, option
from fairtrial.core.errors import ParameterError
from fairtrial.core.words import listed, term

if TYPE_CHECKING:
    from fairtrial.core.tables import Table
    from fairtrial.evaluation.areas import AreaName, Areas
    from fairtrial.evaluation.curve_tests import CurveComparison, CurveTest
    from fairtrial.evaluation.epc import PerformanceCurve
    from fairtrial.inference.estimates import Threshold
    from fairtrial.inference.tests import TestResult


@dataclass(frozen=True, slots=True)
class CompareCurves:
    """How two curves are compared."""

    method: CurveTest = choice(
        "--method",
        ["cluster", "bootstrap", "dependent", "independent"],
        "cluster",
        help="Which test compares two systems at each alpha; all but cluster take thresholds as they are.",
    )
    simultaneous: bool = option(
        "--simultaneous", is_flag=True, help="Control the error of the comparison over the whole range of alpha."
    )


@dataclass(frozen=True, slots=True)
class ThresholdOptions:
    """Whether what is said of curves has their thresholds re-estimated."""

    resample: Literal["test", "both"] = choice(
        "--resample",
        ["test", "both"],
        "both",
        help="both: bands and regions with the threshold re-estimated, as dev was a sample too; test: with the "
        "threshold as it is.",
    )

    @property
    def threshold(self) -> Threshold:
        """What is said of the threshold first."""
        from fairtrial.inference.estimates import threshold_when

        return threshold_when(self.resample)

    def threshold_of(self, compared: CompareCurves) -> Threshold:
        """What a comparison says of the threshold; an error where its method cannot do what was asked for."""
        if compared.method == "cluster":
            return self.threshold
        if self.resample == "both":
            options.refuse_given(
                ["resample"],
                f"both re-estimates thresholds, as --method cluster does; --method {compared.method} takes them as "
                "they are",
            )
        return "fixed"


def compare_pair(
    curves: Sequence[PerformanceCurve],
    systems: Sequence[str],
    pair: str,
    given: ThresholdOptions,
    chance: ChanceOptions,
    compared: CompareCurves,
    resamples: int,
    workers: int,
) -> list[CurveComparison]:
    """The comparison to go by and, where it has the threshold re-estimated, the one with the threshold fixed."""
    names = options.names_of(pair)
    found = {each.system: each for each in curves}
    if len(names) != 2 or any(name not in found for name in names):
        raise ParameterError(f"--compare {pair}: expected two of the systems {listed(systems)}, as in A,B")
    a, b = (found[name] for name in names)
    comparisons = [compare_two(a, b, given.threshold_of(compared), chance, compared, resamples, workers)]
    if comparisons[0].threshold == "re-estimated":
        comparisons.append(compare_two(a, b, "fixed", chance, compared, resamples, workers))
    return comparisons


def compare_two(
    a: PerformanceCurve,
    b: PerformanceCurve,
    threshold: Threshold,
    chance: ChanceOptions,
    compared: CompareCurves,
    resamples: int,
    workers: int = 1,
) -> CurveComparison:
    """Where two curves differ, by the options that were given."""
    from fairtrial.evaluation.curve_tests import compare_curves

    return compare_curves(
        a,
        b,
        method=compared.method,
        threshold=threshold,
        simultaneous=compared.simultaneous,
        confidence=chance.confidence,
        n_resamples=resamples,
        rng=chance.seed,
        workers=workers,
    )


def area_table(
    compared: CurveComparison, areas: Areas, tests: Mapping[AreaName, TestResult], confidence: float
) -> Table:
    """The tests of the areas of two systems."""
    from fairtrial.core.tables import Column, Table
    from fairtrial.inference.tests import columns_with_interval

    of = f"{term(areas.pair.mean.label)} over targets of {term(areas.pair.v1.label)} and {term(areas.pair.v2.label)}"
    columns = (*columns_with_interval(confidence), Column("delta", "1 - p", "sure"))
    records = [{**test.cells(confidence), "delta": test.delta} for test in tests.values()]
    return Table.of("tests", f"Tests of the areas, {compared.a} - {compared.b}: {of}", columns, records)


def area_entries(tests: Mapping[AreaName, TestResult], confidence: float) -> list[dict[str, Any]]:
    """The same by the names of the command line's JSON."""
    return [{**test.to_dict(), "interval": test.interval_entry(confidence)} for test in tests.values()]
