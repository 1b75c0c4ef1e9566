"""What all tests share: where real scores lie, how thorough hypothesis is, and a browser."""

import inspect
import os
import shutil
from collections.abc import Iterator
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import settings

settings.register_profile("fairtrial", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("fairtrial")


if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click before 8.2 gives both streams as one, or the first
    setattr(CliRunner, "__init__", partialmethod(CliRunner.__init__, mix_stderr=False))  # noqa: B010
    setattr(Result, "output", property(lambda result: result.stdout + result.stderr))  # noqa: B010


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real score sets, which are not part of the project."""
    given = os.environ.get("FAIRTRIAL_DATA")
    place = Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
    if place.is_dir():
        return place
    pytest.skip("real score sets: neither $FAIRTRIAL_DATA nor ../shared/data is there")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("needs Chromium (Debian's package chromium)")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()
