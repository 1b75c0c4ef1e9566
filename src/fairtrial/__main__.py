"""``python -m fairtrial``: the same as the command `fairtrial`."""

from fairtrial.cli.main import main

main(prog_name="fairtrial")
