"""How systems are calibrated: the options that `calibrate` and its figures share, and the work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairtrial.cli import options
from fairtrial.cli.options import choice, option

if TYPE_CHECKING:
    from fairtrial.calibration.calibration import CalibratedSystems
    from fairtrial.calibration.model import BoundsName

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
    bounds: BoundsName = choice(
        "--bounds",
        ["none", "elub"],
        "none",
        help="Bound the log-likelihood ratios by those that dev supports (elub: Vergeer et al. 2016).",
    )

    def check(self) -> None:
        """Raise an error where an option was given that would be ignored."""
        check_prior([self.method])


def check_prior(methods: Sequence[str]) -> None:
    """Raise an error where a prior was given that means nothing to any of the methods."""
    from fairtrial.calibration.model import CALIBRATIONS

    known = [CALIBRATIONS.find(name) for name in methods]
    if not any(method.weighs for method in known):
        names = " and ".join(methods)
        options.refuse_given(["prior"], f"means nothing to --method {names}, which does not weigh the classes")


def calibrate_with(dev: Any, test: Any, fit: FitOptions, **more: Any) -> CalibratedSystems:
    """Calibrate each system, or all together."""
    from fairtrial.calibration.calibration import calibrate

    return calibrate(dev, test, fuse=fit.fuse, method=fit.method, prior=fit.prior, bounds=fit.bounds, **more)
