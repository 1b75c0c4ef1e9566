"""fairtrial plot pooled-epc"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from fairtrial.cli import options
from fairtrial.cli.benchmark import ProtocolOptions
from fairtrial.cli.fuse import FusionOptions
from fairtrial.cli.plot.drawing import figure
from fairtrial.cli.progress import Bar
from fairtrial.core.errors import ParameterError

if TYPE_CHECKING:
    from fairtrial.figures.table import Draw


@figure("pooled-epc")
@options.takes(ProtocolOptions, FusionOptions)
@click.option("--group", default="all", show_default=True, help="Which group, where several methods are drawn.")
@click.option(
    "--bands",
    type=click.Choice(["none", "pointwise", "simultaneous"]),
    default="none",
    show_default=True,
    help="Bands around the curves of several methods.",
)
@click.option("--compare", is_flag=True, help="Shade where two methods differ along alpha, threshold re-estimated.")
@click.option("--points", type=int, default=101, show_default=True, help="Values of alpha; fewer are quicker.")
@options.terms_option
def command(
    run: ProtocolOptions,
    fusing: FusionOptions,
    *,
    group: str,
    bands: Literal["none", "pointwise", "simultaneous"],
    compare: bool,
    points: int,
) -> Draw:
    """Pooled Expected Performance Curves of a benchmark: its groups by one fusion method, or one group by several.

    \b
    Examples:
      fairtrial plot pooled-epc --normalise z --out groups.png
      fairtrial plot pooled-epc --fusion mean,logistic --group "LP1: multimodal" --out methods.png
      fairtrial plot pooled-epc --fusion mean,logistic --points 21 --bands pointwise --compare --out methods.png
    """
    from fairtrial.benchmark.pooling import compare_pooled, pooled_band
    from fairtrial.figures.epc import pooled_epc_plot

    fusing.check()
    if compare and len(run.methods) != 2:
        raise ParameterError("--compare is for two methods; name them with --fusion A,B")
    if bands != "none" and len(run.methods) < 2:
        raise ParameterError("--bands is for several methods; name them with --fusion A,B")
    benchmark = run.load()
    with Bar("fusing", 1) as bar:
        keep = compare or bands != "none"
        results = run.run(benchmark, fusing, points=points, keep_scores=keep, progress=bar.advance).runs
    around = None
    if bands != "none":
        around = {
            result.label: pooled_band(result, group=group, kind=bands, confidence=fusing.confidence)
            for result in results
        }
    found = None
    if compare:
        found = compare_pooled(results[0], results[1], group=group, confidence=fusing.confidence)
    return lambda figure: pooled_epc_plot(results, group=group, bands=around, comparison=found, ax=figure.add_subplot())
