"""fairtrial completion"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a script that completes commands and options in your shell.

    \b
    Example, for bash:
      fairtrial completion bash >> ~/.bashrc
    """
    from fairtrial.cli.app import main

    completion = get_completion_class(shell)
    if completion is None:
        raise click.ClickException(f"no completion for {shell}")
    click.echo(completion(main, {}, "fairtrial", "_FAIRTRIAL_COMPLETE").source())
