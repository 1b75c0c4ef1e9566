"""The command `fairtrial`: finds the subcommand, and turns errors of the user into one line and exit code 2."""

from __future__ import annotations

import importlib
import io
import signal
import sys
from collections.abc import Mapping
from typing import Any

import click

from fairtrial import __version__
from fairtrial.cli.command_groups import FullGroup
from fairtrial.cli.entry import stopped
from fairtrial.cli.output import say
from fairtrial.cli.words import in_command_line_words
from fairtrial.core.errors import FairtrialError
from fairtrial.core.registry import left_out_plugins
from fairtrial.core.tables import json_text
from fairtrial.core.words import wording

COMMANDS = {
    "evaluate": "Fix the threshold on dev, report the errors on test.",
    "operating-points": "AUC, d' and the FRR at given FARs, in one table.",
    "epc": "Expected Performance Curves: all trade-offs at once.",
    "compare": "Test whether systems really differ.",
    "explore": "Look around in score files, in a browser.",
    "groups": "Error rates by group: for whom is it worse, and how sure is that.",
    "interval": "Intervals from published rates, or from people tested several times.",
    "test": "Test a rate, two devices or a model, of people tested several times.",
    "compare-rates": "Test two systems by their published rates.",
    "eer-bound": "What published EERs alone say about significance.",
    "mcnemar": "McNemar's test from two numbers.",
    "plan": "How many people and attempts a test needs.",
    "coverage": "How well intervals for repeated attempts cover.",
    "calibrate": "Make log-likelihood ratios of scores, and see how good they are.",
    "fuse": "Fuse systems and see what is gained.",
    "predict": "Predict fusions from Gaussian fits of their parts.",
    "chimeric": "What chimeric users do to a fusion.",
    "benchmark": "Measure a fusion method over a whole protocol.",
    "datasets": "List the score sets that fairtrial knows.",
    "count": "Count scores, any number of them, into a small file.",
    "merge": "Merge files of counts.",
    "plot": "Draw the figures.",
    "convert": "Convert score files from one format to another.",
    "formats": "List the score file formats.",
    "completion": "Print a script that completes commands in your shell.",
}


class LazyGroup(FullGroup):
    """A group that loads a command only when it is called or its help is asked for.

    Parameters
    ----------
    room
        The package whose modules are the commands, each by a function `command`.
    known
        The commands, and what each does in one line.
    """

    def __init__(self, *given: Any, room: str, known: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*given, **settings)
        self._room = room
        self._known = known

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._known)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._known:
            return None
        command: click.Command = importlib.import_module(f"{self._room}.{cmd_name.replace('-', '_')}").command
        return command

    def described(self, name: str) -> str:
        return self._known[name]


class _Main(LazyGroup):
    """The command itself, which turns errors of the user into one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        as_json = "--json" in (*ctx._protected_args, *ctx.args)
        try:
            with wording(style="shell"):
                return super().invoke(ctx)
        except FairtrialError as error:
            with wording(style="shell"):
                if as_json:
                    say(json_text({"error": error.to_dict()}, indent=2))
                say(f"error: {in_command_line_words(str(error))}", aside=True)
            sys.exit(2)
        except KeyboardInterrupt:
            sys.exit(stopped(signal.SIGINT))
        finally:
            for line in left_out_plugins():
                say(f"warning: {line}", aside=True)


@click.group(cls=_Main, room="fairtrial.cli", known=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fairtrial")
def main() -> None:
    """How good a verification system really is, how sure that is, and whether another is really better.

    The threshold is fixed on development data before the test data is seen.

    \b
    Example:
      fairtrial evaluate --dev dev.txt --test test.txt
    """


def work() -> int:
    """Run the command that the arguments of the process name, and give its exit code; what is not ours is raised."""
    try:
        return int(main(prog_name="fairtrial", standalone_mode=False) or 0)
    except click.ClickException as error:
        text = io.StringIO()
        error.show(file=text)
        say(text.getvalue().removesuffix("\n"), aside=True)
        return error.exit_code
    except click.Abort:
        return stopped(signal.SIGINT)
