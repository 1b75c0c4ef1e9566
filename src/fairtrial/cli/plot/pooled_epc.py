"""fairtrial plot pooled-epc"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fairtrial.cli import options
from fairtrial.cli.benchmark import ProtocolOptions, run_methods
from fairtrial.cli.fuse import FusionOptions
from fairtrial.cli.plot.drawing import figure
from fairtrial.cli.progress import Bar

if TYPE_CHECKING:
    from fairtrial.plots.files import Draw
    from fairtrial.tables import Terms


@figure("pooled-epc")
@options.takes(ProtocolOptions, FusionOptions)
@click.option("--group", default="all", show_default=True, help="Which group, where several methods are drawn.")
@options.terms_option
def command(run: ProtocolOptions, fusing: FusionOptions, *, group: str, terms: Terms) -> Draw:
    """Pooled Expected Performance Curves of a benchmark: its groups by one fusion method, or one group by several.

    \b
    Examples:
      fairtrial plot pooled-epc --normalise z --out groups.png
      fairtrial plot pooled-epc --fusion mean,logistic --group "LP1: multimodal" --out methods.png
    """
    from fairtrial.benchmark.protocols import list_experiments
    from fairtrial.plots.pooled import pooled_epc_plot

    fusing.check()
    benchmark = run.load()
    with Bar("fusing", len(run.methods) * len(list_experiments(benchmark, run.protocol))) as bar:
        results = run_methods(benchmark, run, fusing, progress=bar.advance)
    return lambda figure: pooled_epc_plot(results, terms=terms, group=group, ax=figure.add_subplot())
