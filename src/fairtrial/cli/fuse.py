"""fairtrial fuse"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairtrial.checks import check_seed
from fairtrial.cli import options
from fairtrial.cli.output import number, percent, print_json, print_notes, print_table
from fairtrial.cli.progress import reading_bar

if TYPE_CHECKING:
    from fairtrial.fusion import FusedScores, FusionResult

fusion_options = options.stacked(
    click.option(
        "--normalise",
        default="none",
        show_default=True,
        metavar="NAME",
        help="none, z, min-max, median-mad, tanh, double-sigmoid; per client: z-norm, f-norm, eer-norm.",
    ),
    options.criterion_option("wer-equal"),
    options.alpha_option,
    click.option(
        "--missing",
        type=click.Choice(["error", "reject", "neutral"]),
        default="error",
        show_default=True,
        help="A trial that lacks the score of a system: an error, rejected, or a neutral score for it.",
    ),
    click.option(
        "--folds",
        type=int,
        default=5,
        show_default=True,
        metavar="K",
        help="Folds of Algorithm 1, for methods whose threshold is that of held-out dev scores.",
    ),
    click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals."),
)


@click.command()
@click.option("--dev", required=True, multiple=True, metavar="F", help="Development scores; may be repeated.")
@click.option("--test", required=True, multiple=True, metavar="F", help="Test scores, likewise.")
@click.option("--systems", "fused", metavar="A,B", help="The systems to fuse.  [default: all]")
@click.option(
    "--fusion",
    default="mean",
    show_default=True,
    metavar="NAME",
    help="mean, weighted-mean, product, min, max, median, logistic, lda, qda, gmm, svm-linear, svm-rbf, mlp, "
    "client-threshold, client-scores, client-weights; or a registered one.",
)
@fusion_options
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the folds.")
@click.option("--out", metavar="F", help="Write the fused test scores here; the dev scores beside it, as dev-F.")
@options.reading
@options.as_json
def command(
    dev: tuple[str, ...], test: tuple[str, ...], fused: str | None, out: str | None, json_: bool, **values: Any
) -> None:
    """Fuse systems: fitted on dev, judged on test at a threshold from dev.

    \b
    Examples:
      fairtrial fuse --dev dev.csv --test test.csv --systems face,voice
      fairtrial fuse --dev dev.csv --test test.csv --systems face,voice --fusion logistic --normalise z
    """
    from fairtrial.formats import read_pair
    from fairtrial.fusion import fuse

    check_seed(values["seed"])
    criterion = options.criterion_by_name(values["criterion"], None)
    criterion.resolve_alpha(values["alpha"])
    if out is not None:
        _check_targets(out, [*dev, *test])
    with reading_bar(dev, test) as bar:
        pair = read_pair(dev, test, progress=bar.advance, **options.read_options(values))
    result = fuse(
        *pair,
        systems=None if fused is None else [name.strip() for name in fused.split(",")],
        fusion=values["fusion"],
        normalise=values["normalise"],
        criterion=criterion,
        alpha=values["alpha"],
        missing=values["missing"],
        folds=values["folds"],
        rng=values["seed"],
        confidence=values["confidence"],
    )
    if out is not None:
        _write(result.scores, out)
    if json_:
        print_json(result.to_dict())
        return
    _print(result)
    if out is not None:
        click.echo(f"fused scores of test in {out}, of dev in {_beside(out)}")


def _beside(out: str) -> Path:
    """Where the fused dev scores go."""
    return Path(out).with_name(f"dev-{Path(out).name}")


def _check_targets(out: str, inputs: Sequence[str]) -> None:
    """Raise an error before any work where one of the two files could not be written, or is one that is read."""
    from fairtrial.errors import OutputError
    from fairtrial.formats.files import expand
    from fairtrial.formats.registry import told_by_name

    told_by_name(Path(out))
    read = {os.path.realpath(path) for path in expand(inputs)}
    for place in (Path(out), _beside(out)):
        if not os.path.exists(place.absolute().parent):
            raise OutputError(f"{place}: there is no directory {place.parent} to write to")
        if os.path.exists(place) and place.is_dir():
            raise OutputError(f"{place}: is a directory; name a file to write")
        target = Path(os.path.realpath(place))
        if {str(target), str(target.parent)} & read:
            raise OutputError(f"{place}: the fused scores would be written over scores that are read; name another")


def _write(scores: FusedScores, out: str) -> None:
    """Both files, or none of them."""
    from fairtrial.formats import write_trials

    new = not os.path.exists(out)
    write_trials(scores.test, out)
    try:
        write_trials(scores.dev, _beside(out))
    except Exception:
        if new:
            Path(out).unlink(missing_ok=True)
        raise


def _print(result: FusionResult) -> None:
    from rich.table import Table

    found = result.evaluation
    table = Table(
        title=f"{found.kind}, threshold by {found.criterion.described(found.alpha)} on dev", title_justify="left"
    )
    table.add_column("system")
    for column in ("threshold", "FAR %", "FRR %", "HTER %", f"{100 * found.interval.confidence:g} % interval"):
        table.add_column(column, justify="right")
    for each in (*result.baselines, result.evaluation):
        interval = f"{percent(each.interval.low)} to {percent(each.interval.high)}"
        rates = (percent(rate) for rate in (each.test.far, each.test.frr, each.test.hter))
        table.add_row(each.system, number(each.threshold), *rates, interval)
    print_table(table)
    gain = result.gain
    click.echo(f"gain over the mean of the systems {gain.beta_mean:.3g}, over the best of them {gain.beta_min:.3g}")
    if result.scores.cross_validated:
        chosen = ", ".join(f"{name} {value}" for name, value in result.scores.parameters.items())
        if chosen:
            click.echo(f"chosen by cross-validation, which also gave the threshold: {chosen}")
    print_notes(result.notes)
