"""Calibrate several systems, each or all together, and compare their evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from fairtrial.calibration.calibration import PassedCalibration, calibrate, calibrate_in_passes, judge_calibration
from fairtrial.calibration.comparison import EvidencePair, compare_evidence
from fairtrial.calibration.estimates import CostLike, cost_target
from fairtrial.calibration.evidence import CostPoint
from fairtrial.calibration.methods import CALIBRATIONS
from fairtrial.calibration.model import Calibration, side_by_side
from fairtrial.calibration.results import CalibratedSystem
from fairtrial.core.errors import ParameterError
from fairtrial.core.results import Result
from fairtrial.core.tables import Table, join_tables
from fairtrial.core.trials import Trials
from fairtrial.counting.pieces import OpenTrials
from fairtrial.counting.tallies import has_sources
from fairtrial.formats.files import PathLike
from fairtrial.inference.multiplicity import Correction
from fairtrial.inference.people import Cluster


@dataclass(frozen=True, slots=True, repr=False)
class Calibrations(Result):
    """Calibrated systems, and the tests of their differences.

    Attributes
    ----------
    systems : tuple of CalibratedSystem or PassedCalibration
        One per system, or one of all fused.
    pairs : tuple of EvidencePair or None
        The tests of all pairs of systems; None if there is one system, or there are no intervals.
    correction : {"holm", "bh", "none"}
        How the p values of the pairs were adjusted.
    rng : int
        The seed of what a page draws at random.
    """

    systems: tuple[CalibratedSystem | PassedCalibration, ...]
    pairs: tuple[EvidencePair, ...] | None = None
    correction: Correction = "holm"
    rng: int = 0

    @property
    def model(self) -> Calibration:
        """The one calibration; an error if there are several."""
        if len(self.systems) > 1:
            raise ParameterError("{save!p} holds one calibration; choose one with {systems!p}, or {fuse!p} them",
                                 code="several", save=0, systems=0, fuse=0)  # fmt: skip
        return self.systems[0].calibration

    def scores(self, sets: Mapping[str, Trials | None]) -> dict[str, Trials]:
        """Give sets of trials with the log-likelihood ratios of all calibrations."""
        calibrations = [own.calibration for own in self.systems]
        return {name: side_by_side(calibrations, trials) for name, trials in sets.items() if trials is not None}

    def answer(self) -> str:
        """Give that of each system."""
        return "; ".join(own.answer() for own in self.systems)

    def tables(self) -> tuple[Table, ...]:
        """Give those of all systems, joined, and the tests."""
        tests = join_tables([pair.tables() for pair in self.pairs or ()])
        main, *others = join_tables([own.tables() for own in self.systems])
        return (main, *tests, *others)

    def to_dict(self) -> dict[str, Any]:
        """Give the names of the command line's JSON."""
        pairs = {} if self.pairs is None else {"pairs": [pair.to_dict() for pair in self.pairs]}
        return {"systems": [own.to_dict() for own in self.systems], **pairs}

    def page_parts(self) -> tuple[Any, dict[str, Any]]:
        """Give what its page is made of."""
        return self.systems, {"pairs": self.pairs or (), "correction": self.correction, "rng": self.rng}


def calibrate_systems(
    dev: Trials | OpenTrials | None,
    test: Trials | OpenTrials,
    *,
    model: Calibration | PathLike | None = None,
    systems: Sequence[str] | None = None,
    method: str = "logistic",
    prior: float = 0.5,
    fuse: bool = False,
    costs: Sequence[CostLike] = (CostPoint(0.01),),
    partition: Sequence[str] = (),
    correction: Correction = "holm",
    confidence: float = 0.95,
    cluster: Cluster | None = None,
    rng: int = 0,
    for_page: bool = True,
) -> Calibrations:
    """Calibrate each system on dev, or all together, judge the evidence on test, and compare the systems.

    Parameters
    ----------
    dev : Trials or OpenTrials or None
        The trials that calibrations are fitted to; None with a `model`.
    test : Trials or OpenTrials
        The trials that are judged.
    model : Calibration or path, optional
        A saved calibration, or its file, instead of dev trials.
    systems : sequence of str, optional
        The names of the systems; all by default.
    method : str, default "logistic"
        How scores become ratios: logistic, pav, gaussian, kde, none, or a registered one.
    prior : float, default 0.5
        The prior probability of a genuine trial at which ``logistic`` and ``gaussian`` weigh the classes.
    fuse : bool, default False
        Whether there is one calibration of all systems together: calibrated fusion.
    costs : sequence of CostLike, default (CostPoint(prior=0.01, miss=1.0, false_alarm=1.0),)
        Detection costs on test.
    partition : sequence of str, default ()
        Detection costs as means of the error rates of the parts that these columns divide the test trials into, all at
        one threshold.
    correction : {"holm", "bh", "none"}, default "holm"
        How p values of pairs of systems are adjusted for their number.
    confidence : float, default 0.95
        The level of confidence, between 0 and 1.
    cluster : {"none", "claim", "subject", "both"}, optional
        What dependent trials share: the claimed identity, the subject, both or nothing; by default all known ids.
    rng : int, default 0
        The seed of bands that resample people, on a page.
    for_page : bool, default True
        Whether a page may be made of the result.

    Returns
    -------
    Calibrations
        Cllr and detection costs of each system, and the tests of all pairs.

    Raises
    ------
    ParameterError
        If a method or cost is unknown, or an option has no effect.
    """
    if not CALIBRATIONS.find(method).weighs and prior != 0.5:
        raise ParameterError(
            "{prior!p} has no effect with {method!o}, which does not weigh the classes",
            code="does-not-apply", prior=prior, method=method,
        )  # fmt: skip
    if rng != 0 and not for_page:
        template = "{rng!p} applies to what only the page of {report!p} has"
        raise ParameterError(template, code="does-not-apply", rng=rng, report=0)
    targets = [cost_target(cost, partition) for cost in costs]
    if model is not None:
        saved = model if isinstance(model, Calibration) else Calibration.load(model)
        assert isinstance(test, Trials)
        judged = judge_calibration(saved, test, points=targets, confidence=confidence, cluster=cluster)
        return Calibrations((judged,), None, correction, rng)
    if dev is None:
        raise ParameterError("give either {dev!p}, to fit a calibration, or {model!p}", dev=0, model=0)
    if has_sources(dev):
        for name, given in (("fuse", fuse), ("partition", partition)):
            if given:
                raise ParameterError(
                    f"{{{name}!p}} needs all trials in memory, and these are read in pieces", code="needs-trials",
                    **{name: given},
                )  # fmt: skip
        names = tuple(systems or dev.systems)
        return Calibrations(
            tuple(
                calibrate_in_passes(dev, test, system=name, method=method, prior=prior, points=targets)
                for name in names
            ),
            None,
            correction,
            rng,
        )
    assert isinstance(dev, Trials)
    assert isinstance(test, Trials)
    groups = [tuple(systems or dev.systems)] if fuse else [(name,) for name in systems or dev.systems]
    found = tuple(
        calibrate(
            dev,
            test,
            systems=names,
            method=method,
            prior=prior,
            points=targets,
            confidence=confidence,
            cluster=cluster,
        )
        for names in groups
    )
    if len(found) == 1:
        return Calibrations(found, None, correction, rng)
    finite = [own for own in found if isfinite(own.test[0])]  # a note says so of all others
    pairs = compare_evidence(dev, test, finite, correction=correction, cluster=cluster) if len(finite) > 1 else []
    return Calibrations(found, tuple(pairs), correction, rng)
