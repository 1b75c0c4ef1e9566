"""fairtrial explore"""

from __future__ import annotations

from contextlib import suppress

import click

from fairtrial.cli.files import READ
from fairtrial.cli.output import say
from fairtrial.cli.words import in_command_line_words
from fairtrial.core.errors import ParameterError

_LEAST_MEMORY = 512 * 2**20


@click.command()
@click.argument("files", nargs=-1, type=READ, metavar="[F]...")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Where to listen.  [default: any free port]"
)
@click.option("--no-browser", is_flag=True, help="Only print the address; open no browser.")
def command(files: tuple[str, ...], *, port: int, no_browser: bool) -> None:
    """Look around in score files, in a browser; nothing leaves this machine.

    Files named here are opened where they lie, however large; others can be dropped on the page. Ctrl-C ends it.

    \b
    Examples:
      fairtrial explore
      fairtrial explore dev.csv test.csv
      fairtrial explore dev.parquet test.parquet --port 8080 --no-browser
    """
    from fairtrial.formats.files import expand

    _check_memory()
    try:
        from fairtrial.explorer.app import serve
    except ImportError as error:
        raise ParameterError(f"explore needs {error.name}; pip install 'fairtrial[explore]'") from error
    if files:
        expand(list(files))  # an error before anything is served

    def ready(address: str) -> None:
        say(f"explore at {address}")
        say("Ctrl-C ends it")
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    with suppress(KeyboardInterrupt):
        serve(list(files), port=port, words=in_command_line_words, ready=ready)
    say("stopped; copies of files that were dropped are deleted")


def _check_memory() -> None:
    """Raise an error if there is too little address space; numerical libraries would try again for minutes."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < _LEAST_MEMORY:
        raise ParameterError(
            f"explore needs {_LEAST_MEMORY >> 20} MB of memory, and ulimit -v allows {limit >> 20} MB", code="memory"
        )
