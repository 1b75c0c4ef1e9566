"""fairtrial mcnemar"""

from __future__ import annotations

import click

from fairtrial.cli import options
from fairtrial.cli.files import FileCommand
from fairtrial.cli.options import OutputOptions
from fairtrial.cli.output import print_result


@click.command(cls=FileCommand)
@click.option("--b", type=int, required=True, metavar="N", help="Number of trials that only A got wrong.")
@click.option("--c", type=int, required=True, metavar="N", help="Number of trials that only B got wrong.")
@options.takes(OutputOptions)
def command(output: OutputOptions, *, b: int, c: int) -> None:
    """McNemar's test from the numbers of trials on which two systems disagree.

    \b
    Example:
      fairtrial mcnemar --b 26055 --c 26707
    """
    from fairtrial.published.mcnemar import mcnemar_test

    output.check()
    result = mcnemar_test(b, c)
    print_result(output, result)
