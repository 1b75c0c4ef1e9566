"""The command `fairtrial`: find the subcommand, and turn errors of the user into one line and exit code 2."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from fairtrial import __version__
from fairtrial.cli.commands import COMMANDS, Declared, figure_commands
from fairtrial.cli.entry import stopped
from fairtrial.cli.output import help_all, say
from fairtrial.core.errors import FairtrialError, ParameterError
from fairtrial.core.registry import left_out_plugins
from fairtrial.core.tables import json_text
from fairtrial.core.words import nearest, visible, wording


class LazyGroup(click.Group):
    """A group that makes a command only when it, or its help, is called.

    Parameters
    ----------
    prefix
        The words before the commands of this group.
    """

    def __init__(self, *given: Any, prefix: str = "", **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.params.append(help_all(hidden=True))
        self._prefix = prefix

    @property
    def _names(self) -> dict[str, Declared]:
        every = figure_commands() if self._prefix == "plot " else COMMANDS
        names = {name.removeprefix(self._prefix): each for name, each in every.items() if name.startswith(self._prefix)}
        return {name: each for name, each in names.items() if " " not in name}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        declared = self._names.get(cmd_name)
        if declared is None:
            return None
        name = f"{self._prefix}{cmd_name}"
        if not declared.function:
            return LazyGroup(cmd_name, prefix=f"{name} ", help=declared.help(name))
        if self._prefix == "plot ":
            from fairtrial.cli.plots import make_plot

            return make_plot(cmd_name, declared)
        from fairtrial.cli.command import make_command

        return make_command(name, declared)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name not in self._names and not name.startswith("-"):
            meant = nearest(name, self._names)
            ctx.fail(f"there is no command {visible(name)!r}{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self._names
        for heading in dict.fromkeys(each.group for each in names.values()):
            with formatter.section(heading):
                formatter.write_dl([(name, each.summary) for name, each in names.items() if each.group == heading])


_LEAST_MEMORY = 512 * 2**20


def _check_memory() -> None:
    """Raise an error if there is too little address space; numerical libraries would end the process, or retry."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < _LEAST_MEMORY:
        raise ParameterError(
            f"fairtrial needs {_LEAST_MEMORY >> 20} MB of memory, and ulimit -v allows {limit >> 20} MB", code="memory"
        )


class _Main(LazyGroup):
    """The command itself, which turns errors of the user into one line and exit code 2."""

    def make_context(self, info_name: str | None, args: list[str], *given: Any, **more: Any) -> click.Context:
        as_json = "--json" in args
        try:
            return super().make_context(info_name, args, *given, **more)
        except click.UsageError as error:
            _refuse(_of_usage(error), as_json)

    def invoke(self, ctx: click.Context) -> Any:
        as_json = "--json" in (*ctx._protected_args, *ctx.args)
        with wording(style="shell"):
            try:
                _check_memory()
                return super().invoke(ctx)
            except FairtrialError as error:
                _refuse(error, as_json)
            except click.UsageError as error:
                _refuse(_of_usage(error), as_json)
            except KeyboardInterrupt:
                sys.exit(stopped(signal.SIGINT))
            finally:
                for line in left_out_plugins():
                    say(f"warning: {line}", aside=True)


def _of_usage(error: click.UsageError) -> ParameterError:
    """Translate an error of click; a group without a command shows its help instead."""
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):  # since click 8.2
        raise error
    message = error.format_message().rstrip(".")
    if isinstance(error, click.MissingParameter) and error.param is not None:
        names = error.param.opts[:1] if isinstance(error.param, click.Option) else []
        message = " ".join(["give", *names, error.param.metavar or ""]).strip()
    elif isinstance(error, click.NoSuchOption) and error.ctx is not None:
        flags = [flag for param in error.ctx.command.params for flag in param.opts if flag.startswith("--")]
        meant = nearest(error.option_name, flags, lambda flag: flag.lstrip("-"))
        message = f"no such option {error.option_name!r}{meant}"
    words = error.ctx.command_path.split()[1:] if error.ctx is not None else []
    command = " ".join(["fairtrial", *words])
    see = " See" if message.endswith("?") else "; see"
    template = "{message}{see} {command} --help"
    return ParameterError(template, code="usage", message=message[:1].lower() + message[1:], see=see, command=command)


def _refuse(error: FairtrialError, as_json: bool) -> NoReturn:
    """Print an error, with `--json` also as JSON, and exit with code 2."""
    if as_json:
        say(json_text({"error": error.to_dict()}, indent=2))
    say(f"error: {error}", aside=True)
    sys.exit(2)


@click.group(cls=_Main, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fairtrial")
def main() -> None:
    """Measure how good a verification system is, how certain that is, and whether another is really better.

    The threshold is fixed on development data before the test data is seen.

    \b
    Examples:
      fairtrial demo
      fairtrial evaluate --dev dev.csv --test test.csv
    """


def work() -> int:
    """Run the command with the arguments of the process, and give its exit code; other errors are raised."""
    run: Callable[..., Any] = main
    try:
        return int(run(prog_name="fairtrial", standalone_mode=False) or 0)
    except click.ClickException as error:
        text = io.StringIO()
        error.show(file=text)
        say(text.getvalue().removesuffix("\n"), aside=True)
        return error.exit_code
    except click.Abort:
        return stopped(signal.SIGINT)
