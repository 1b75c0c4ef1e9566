"""``python -m fairtrial``: the same as the command `fairtrial`."""

from fairtrial.cli.entry import run

run()
