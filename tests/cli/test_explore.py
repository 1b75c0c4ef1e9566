"""fairtrial explore, from its start to Ctrl-C."""

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from explorer.opened import write_sets
from fairtrial.cli.app import main


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_stopped_and_says_so(tmp_path: Path, end: signal.Signals) -> None:
    write_sets(tmp_path)
    words = [sys.executable, "-m", "fairtrial", "explore", "dev.csv", "test.csv", "--no-browser"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"explore at (http://127\.0\.0\.1:\d+/[\w-]{20,}/)\n", line)
        assert found is not None, line
        with urllib.request.urlopen(found[1], timeout=30) as page:
            assert b"fairtrial explorer" in page.read()
        process.send_signal(end)
        out, error = process.communicate(timeout=30)
    assert "Traceback" not in error
    if end == signal.SIGINT:
        assert out.endswith("stopped; copies of files that were dropped are deleted\n")
        assert process.returncode == 0


def test_a_file_that_is_not_there_is_told_before_anything_is_served() -> None:
    found = CliRunner().invoke(main, ["explore", "nothing.csv"])
    assert found.exit_code == 2
    assert "nothing.csv" in found.stderr


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = CliRunner().invoke(main, ["explore", "--no-browser", "--port", str(taken.getsockname()[1])])
    assert found.exit_code == 2
    assert "cannot be used" in found.stderr


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("uvicorn", "starlette.applications"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("serving", "app", "guard"):
        monkeypatch.delitem(sys.modules, f"fairtrial.explorer.{name}", raising=False)
    found = CliRunner().invoke(main, ["explore"])
    assert found.exit_code == 2
    assert "pip install 'fairtrial[explore]'" in found.stderr
