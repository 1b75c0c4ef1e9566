"""Figures to be kept as files, as `fairtrial plot` draws them; what they need is computed when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairtrial.calibration.curves import bayes_error_curve, ece_curve, tippett_curve
from fairtrial.calibration.maps import llr_map
from fairtrial.calibration.reliability import pav_curve
from fairtrial.calibration.results import CalibratedSystem
from fairtrial.epc import PerformanceCurve
from fairtrial.explorer.data import Data
from fairtrial.explorer.points import Point
from fairtrial.plots.bayes_error import bayes_error_plot
from fairtrial.plots.det import det_plot
from fairtrial.plots.diagnostic import diagnostic_plot, diagnostics
from fairtrial.plots.ece import ece_plot
from fairtrial.plots.epc import epc_plot
from fairtrial.plots.llr_map import llr_map_plot
from fairtrial.plots.operating import OperatingCurve, operating_curves
from fairtrial.plots.pav import pav_plot
from fairtrial.plots.roc import roc_plot
from fairtrial.plots.tippett import tippett_plot

if TYPE_CHECKING:
    from fairtrial.plots.files import Draw


def operating_figures(data: Data, systems: Sequence[str], point: Point, confidence: float) -> dict[str, Draw]:
    """DET, ROC and, where there is a test set, the densities of scores."""
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

    found: dict[str, Draw] = {
        "det": lambda figure: det_plot(curves(), ax=figure.add_subplot()),
        "roc": lambda figure: roc_plot(curves(), ax=figure.add_subplot()),
    }
    if not folds:
        found["diagnostic"] = lambda figure: diagnostic_plot(diagnostics(data.dev, data.test, **asked), figure=figure)
    return found


def epc_figure(curves: Sequence[PerformanceCurve]) -> Draw:
    """Expected performance curves."""
    return lambda figure: epc_plot(curves, ax=figure.add_subplot())


def evidence_figures(results: Sequence[CalibratedSystem], confidence: float, seed: int) -> dict[str, Draw]:
    """The five figures of evidence; the map is of one system only."""
    found: dict[str, Draw] = {
        "bayes-error": lambda figure: bayes_error_plot(
            [bayes_error_curve(own, confidence=confidence) for own in results], ax=figure.add_subplot()
        ),
        "ece": lambda figure: ece_plot(
            [ece_curve(own, confidence=confidence) for own in results], ax=figure.add_subplot()
        ),
        "tippett": lambda figure: tippett_plot([tippett_curve(own) for own in results], ax=figure.add_subplot()),
        "pav": lambda figure: pav_plot(
            [pav_curve(own, confidence=confidence, rng=seed) for own in results], ax=figure.add_subplot()
        ),
    }
    if len(results) == 1:
        found["llr-map"] = lambda figure: llr_map_plot(
            llr_map(results[0], confidence=confidence, rng=seed), ax=figure.add_subplot()
        )
    return found
