"""How systems are calibrated: the options that `calibrate` and its figures share, and the work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairtrial.cli import options
from fairtrial.cli.options import choice, option
from fairtrial.cli.progress import Bar

if TYPE_CHECKING:
    from fairtrial.calibration.evidence import CostPoint
    from fairtrial.calibration.judged import CalibratedSystem
    from fairtrial.calibration.model import Method
    from fairtrial.people import Cluster
    from fairtrial.trials import Trials


METHODS = ("logistic", "pav")
PRIOR: dict[str, Any] = {
    "type": float,
    "default": 0.5,
    "show_default": True,
    "help": "The prior of genuine trials at which the cost of a logistic calibration counts.",
}


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How a calibration is fitted on dev."""

    method: Method = choice(
        "--method",
        METHODS,
        "logistic",
        help="logistic: a weighted sum and an offset; pav: steps that rise (pool adjacent violators), bounded.",
    )
    prior: float = option("--prior", **PRIOR)
    fuse: bool = option("--fuse", is_flag=True, help="One calibration of all systems together: calibrated fusion.")

    def check(self) -> None:
        """Raise an error where an option was given that would be ignored."""
        if self.method == "pav":
            options.refuse_given(["prior"], "applies to --method logistic, not to pav")

    def groups(self, dev: Trials) -> list[Sequence[str]]:
        """The systems of each calibration."""
        return [dev.systems] if self.fuse else [(name,) for name in dev.systems]


def calibrate_each(
    dev: Trials,
    test: Trials,
    fit: FitOptions,
    *,
    points: Sequence[CostPoint] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
) -> list[CalibratedSystem]:
    """Calibrate each system, or all together."""
    from fairtrial.calibration.judged import calibrate

    groups = fit.groups(dev)
    found: list[CalibratedSystem] = []
    with Bar("calibrating", len(groups)) as bar:
        for systems in groups:
            found.append(
                calibrate(
                    dev,
                    test,
                    systems=systems,
                    method=fit.method,
                    prior=fit.prior,
                    points=points,
                    confidence=confidence,
                    cluster=cluster,
                )
            )
            bar.advance()
    return found
