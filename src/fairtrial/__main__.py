"""``python -m fairtrial``: the same as the command `fairtrial`."""

from fairtrial.cli.app import main

main(prog_name="fairtrial")
