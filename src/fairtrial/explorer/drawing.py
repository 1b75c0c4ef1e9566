"""Figures to be kept as files, as `fairtrial plot` draws them; what they need is computed when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairtrial.calibration.results import CalibratedSystem
from fairtrial.epc import PerformanceCurve
from fairtrial.explorer.data import Data
from fairtrial.explorer.points import Point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fairtrial.plots.files import Draw
    from fairtrial.plots.operating import OperatingCurve


def operating_figures(data: Data, systems: Sequence[str], point: Point, confidence: float) -> dict[str, Draw]:
    """DET, ROC and, where there is a test set, the densities of scores."""

    def curves() -> tuple[OperatingCurve, ...]:
        from fairtrial.plots.operating import operating_curves

        return operating_curves(
            data.dev,
            None if data.reading.folds is not None else data.test,
            blocks=data.sets.blocks,
            systems=systems,
            criterion=point.rule,
            alpha=point.alpha,
            confidence=confidence,
            cluster=data.reading.cluster,
        )

    def det(figure: Figure) -> None:
        from fairtrial.plots.det import det_plot

        det_plot(curves(), ax=figure.add_subplot())

    def roc(figure: Figure) -> None:
        from fairtrial.plots.roc import roc_plot

        roc_plot(curves(), ax=figure.add_subplot())

    def diagnostic(figure: Figure) -> None:
        from fairtrial.plots.diagnostic import diagnostic_plot, diagnostics

        chosen = diagnostics(
            data.dev,
            data.test,
            systems=systems,
            criterion=point.rule,
            alpha=point.alpha,
            confidence=confidence,
            cluster=data.reading.cluster,
        )
        figure.set_size_inches(9, 7)
        diagnostic_plot(chosen, figure=figure)

    return {"det": det, "roc": roc, **({} if data.reading.folds is not None else {"diagnostic": diagnostic})}


def epc_figure(curves: Sequence[PerformanceCurve]) -> Draw:
    """Expected performance curves."""

    def epc(figure: Figure) -> None:
        from fairtrial.plots.epc import epc_plot

        epc_plot(curves, ax=figure.add_subplot())

    return epc


def evidence_figures(results: Sequence[CalibratedSystem], confidence: float, seed: int) -> dict[str, Draw]:
    """The five figures of evidence; the map is of one system only."""

    def bayes(figure: Figure) -> None:
        from fairtrial.calibration.curves import bayes_error_curve
        from fairtrial.plots.bayes_error import bayes_error_plot

        bayes_error_plot([bayes_error_curve(own, confidence=confidence) for own in results], ax=figure.add_subplot())

    def ece(figure: Figure) -> None:
        from fairtrial.calibration.curves import ece_curve
        from fairtrial.plots.ece import ece_plot

        ece_plot([ece_curve(own, confidence=confidence) for own in results], ax=figure.add_subplot())

    def tippett(figure: Figure) -> None:
        from fairtrial.calibration.curves import tippett_curve
        from fairtrial.plots.tippett import tippett_plot

        tippett_plot([tippett_curve(own) for own in results], ax=figure.add_subplot())

    def pav(figure: Figure) -> None:
        from fairtrial.calibration.reliability import pav_curve
        from fairtrial.plots.pav import pav_plot

        pav_plot([pav_curve(own, confidence=confidence, rng=seed) for own in results], ax=figure.add_subplot())

    def llr_map(figure: Figure) -> None:
        from fairtrial.calibration.maps import llr_map
        from fairtrial.plots.llr_map import llr_map_plot

        llr_map_plot(llr_map(results[0], confidence=confidence, rng=seed), ax=figure.add_subplot())

    found: dict[str, Draw] = {"bayes-error": bayes, "ece": ece, "tippett": tippett, "pav": pav}
    return {**found, **({"llr-map": llr_map} if len(results) == 1 else {})}
