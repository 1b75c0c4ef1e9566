"""How systems are calibrated: the options that `calibrate` and its figures share, and the work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairtrial.cli import options
from fairtrial.cli.options import option
from fairtrial.cli.progress import Bar

if TYPE_CHECKING:
    from fairtrial.calibration.estimates import CostLike
    from fairtrial.calibration.results import CalibratedSystem
    from fairtrial.core.trials import Trials
    from fairtrial.inference.people import Cluster

PRIOR: dict[str, Any] = {
    "type": float,
    "default": 0.5,
    "show_default": True,
    "help": "The prior of genuine trials at which logistic and gaussian weigh the classes.",
}


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How a calibration is fitted on dev."""

    method: str = option("--method", default="logistic", **options.CALIBRATION)
    prior: float = option("--prior", **PRIOR)
    fuse: bool = option("--fuse", is_flag=True, help="One calibration of all systems together: calibrated fusion.")

    def check(self) -> None:
        """Raise an error where an option was given that would be ignored."""
        check_prior([self.method])

    def groups(self, dev: Trials) -> list[Sequence[str]]:
        """The systems of each calibration."""
        return [dev.systems] if self.fuse else [(name,) for name in dev.systems]


def check_prior(methods: Sequence[str]) -> None:
    """Raise an error where a prior was given that means nothing to any of the methods."""
    from fairtrial.calibration.methods import CALIBRATIONS

    known = [CALIBRATIONS.find(name) for name in methods]
    if not any(method.weighs for method in known):
        names = " and ".join(methods)
        options.refuse_given(["prior"], f"means nothing to --method {names}, which does not weigh the classes")


def calibrate_each(
    dev: Trials,
    test: Trials,
    fit: FitOptions,
    *,
    points: Sequence[CostLike] = (),
    confidence: float = 0.95,
    cluster: Cluster | None = None,
) -> list[CalibratedSystem]:
    """Calibrate each system, or all together."""
    from fairtrial.calibration.calibration import calibrate

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
