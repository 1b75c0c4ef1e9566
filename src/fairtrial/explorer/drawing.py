"""Figures to be kept as files, as `fairtrial plot` draws them; what they need is computed when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from fairtrial.calibration.calibration import CalibratedSystem
from fairtrial.calibration.curves import bayes_error_curve, ece_curve, tippett_curve
from fairtrial.calibration.maps import llr_map, pav_curve
from fairtrial.explorer.data import Data
from fairtrial.explorer.points import Point
from fairtrial.figures.det import OperatingCurve, operating_curves
from fairtrial.figures.scores import diagnostics
from fairtrial.figures.table import FIGURES

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


def _on_demand(**figures: Callable[[], Any]) -> dict[str, Draw]:
    """Compute the data of a figure when it is drawn."""

    def draw(name: str, compute: Callable[[], Any]) -> Draw:
        return lambda figure: FIGURES[name].draw(compute())(figure)

    names = {name: name.replace("_", "-") for name in figures}
    return {names[name]: draw(names[name], compute) for name, compute in figures.items()}


def operating_figures(data: Data, systems: Sequence[str], point: Point, confidence: float) -> dict[str, Draw]:
    """Give DET, ROC and, if there is a test set, the densities of scores."""
    asked: dict[str, Any] = {
        "systems": systems,
        "criterion": point.rule,
        "alpha": point.alpha,
        "confidence": confidence,
        "cluster": data.reading.cluster,
    }
    folds = data.reading.folds is not None

    def curves() -> tuple[OperatingCurve, ...]:
        return operating_curves(data.dev, None if folds else data.test, blocks=data.sets.blocks, **asked)

    figures = _on_demand(det=curves, roc=curves)
    return figures if folds else figures | _on_demand(diagnostic=lambda: diagnostics(data.dev, data.test, **asked))


def evidence_figures(results: Sequence[CalibratedSystem], confidence: float, seed: int) -> dict[str, Draw]:
    """Give the five figures of evidence; the map is of one system only."""
    banded: dict[str, Any] = {"confidence": confidence}
    figures = _on_demand(
        bayes_error=lambda: [bayes_error_curve(result, **banded) for result in results],
        ece=lambda: [ece_curve(result, **banded) for result in results],
        tippett=lambda: [tippett_curve(result) for result in results],
        pav=lambda: [pav_curve(result, rng=seed, **banded) for result in results],
    )
    if len(results) == 1:
        figures |= _on_demand(llr_map=lambda: llr_map(results[0], rng=seed, **banded))
    return figures
