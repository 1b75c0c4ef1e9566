"""What importing the figures costs."""

from __future__ import annotations

import subprocess
import sys


def test_matplotlib_is_loaded_only_to_draw() -> None:
    code = "import sys, fairtrial.plots, fairtrial.cli.plot; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
