"""The way in: what ends the command line, and with which line and exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fairtrial
from fairtrial import Trials, write_trials
from fairtrial.cli import entry

SOURCE = str(Path(fairtrial.__file__).parents[1])
ENVIRONMENT = {**os.environ, "PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1"}


def started(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "fairtrial", *arguments]
    return subprocess.run(command, env={**ENVIRONMENT, **environment}, capture_output=True, check=False, timeout=60)


def stub(folder: Path, module: str, code: str) -> str:
    """A path on which a library is something else."""
    (folder / "stub").mkdir(exist_ok=True)
    (folder / "stub" / f"{module}.py").write_text(code)
    return f"{folder / 'stub'}{os.pathsep}{SOURCE}"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space")
@pytest.mark.parametrize("words", ["explore --no-browser", "evaluate --dev a.csv --test b.csv", "plot det --help"])
@pytest.mark.parametrize("megabytes", [250, 450])
def test_too_little_memory_is_an_error_at_once(words: str, megabytes: int) -> None:
    import resource

    limit = (megabytes * 2**20,) * 2
    done = subprocess.run(
        [sys.executable, "-m", "fairtrial", *words.split()],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"{megabytes} MB" in done.stderr


@pytest.mark.parametrize("module", ["click", "numpy"])
def test_ctrl_c_while_libraries_are_loaded(module: str, tmp_path: Path) -> None:
    code = "from signal import *\nsignal(SIGINT, default_int_handler)\nraise_signal(SIGINT)\n"
    path = stub(tmp_path, module, code)
    found = started("evaluate", "--dev", "a.csv", "--test", "b.csv", PYTHONPATH=path)
    assert (found.returncode, found.stderr, found.stdout) == (130, b"interrupted\n", b"")


def test_a_bug_is_one_line_and_a_report(tmp_path: Path) -> None:
    path = stub(tmp_path, "scipy", "raise ZeroDivisionError('\\x1b[2J')\n")
    found = started("mcnemar", "--b", "5", "--c", "7", PYTHONPATH=path, TMPDIR=str(tmp_path))
    (report,) = tmp_path.glob("fairtrial-bug-*.txt")
    assert found.returncode == 70
    assert found.stderr.decode() == (
        "error: this is a bug of fairtrial (ZeroDivisionError: \\x1b[2J); "
        f"a report was saved in {report}: please send it to the developers\n"
    )
    text = report.read_text()
    assert "fairtrial mcnemar --b 5 --c 7" in text
    assert "Traceback (most recent call last)" in text
    assert report.stat().st_mode & 0o077 == 0


def test_a_bug_is_shown_to_those_who_ask(tmp_path: Path) -> None:
    path = stub(tmp_path, "scipy", "raise ZeroDivisionError\n")
    found = started("mcnemar", "--b", "5", "--c", "7", PYTHONPATH=path, TMPDIR=str(tmp_path), FAIRTRIAL_DEBUG="1")
    assert found.returncode == 70
    assert b"Traceback (most recent call last)" in found.stderr


def test_what_is_said_on_a_closed_standard_error_is_not_said_on_standard_output(tmp_path: Path) -> None:
    path = stub(tmp_path, "scipy", "import sys\nsys.stderr.write('as NumPy 2.0 does')\nraise ZeroDivisionError\n")
    command = f"{sys.executable} -m fairtrial mcnemar --b 5 --c 7 2>&-"
    environment = {**ENVIRONMENT, "PYTHONPATH": path, "TMPDIR": str(tmp_path)}
    found = subprocess.run(["bash", "-c", command], env=environment, check=False, stdout=subprocess.PIPE, timeout=60)
    assert (found.returncode, found.stdout) == (70, b"")
    assert "ZeroDivisionError" in next(tmp_path.glob("fairtrial-bug-*.txt")).read_text()


def test_no_report_where_none_can_be_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "no place"))
    assert entry._saved(ValueError("x")) == (
        "no report could be saved (No such file or directory): FAIRTRIAL_DEBUG=1 shows it"
    )


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (MemoryError(), 2, "error: there is not enough memory for this"),
        (OSError(12, "Cannot allocate memory"), 2, "error: there is not enough memory for this"),
        (ImportError("libx.so: failed to map segment from shared object"), 2, "error: there is not enough memory"),
        (RuntimeError("can't start new thread"), 2, "error: there is not enough memory"),
        (OSError(28, "No space left on device"), 2, "error: the output: cannot be written: No space left on device"),
        (OSError(28, "No space left on device", "a.png"), 2, "error: a.png: cannot be written"),
        (BrokenPipeError(32, "Broken pipe"), 1, ""),
    ],
)
def test_what_the_system_refuses(
    error: Exception,
    status: int,
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(entry, "_drop_output", lambda: None)
    assert entry._failed(error) == status
    found = capsys.readouterr().err
    assert found.startswith(says)
    assert found.count("\n") == bool(says)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_behind_the_output() -> None:
    with open("/dev/full", "wb") as full:
        found = subprocess.run(
            [sys.executable, "-m", "fairtrial", "completion", "bash"],
            env=ENVIRONMENT,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert found.returncode == 2
    assert found.stderr == b"error: the output: cannot be written: No space left on device\n"


def test_a_reader_that_has_gone_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    found = subprocess.run(
        [sys.executable, "-m", "fairtrial", "completion", "bash"],
        env=ENVIRONMENT,
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (found.returncode, found.stderr) == (1, b"")


@pytest.fixture
def scores(tmp_path: Path) -> str:
    """A file of one system with a name that ASCII has not."""
    claim, subject = np.divmod(np.arange(36), 6)
    rng = np.random.default_rng(1)
    values = rng.normal(size=36) + 2 * (claim == subject)
    write_trials(
        Trials.from_arrays(values, claim == subject, systems=["zoë"], claim=claim, subject=subject),
        tmp_path / "scores.csv",
    )
    return str(tmp_path / "scores.csv")


def test_a_terminal_in_ascii(scores: str) -> None:
    found = started("evaluate", "--dev", scores, "--test", scores, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (found.returncode, found.stderr) == (0, b"")
    assert b"zo\\xeb" in found.stdout


def test_warnings_of_libraries_are_for_those_who_debug(tmp_path: Path) -> None:
    code = (
        "import logging, warnings\nwarnings.warn('careful')\nlogging.getLogger('x').warning('mind')\nraise KeyError\n"
    )
    path = stub(tmp_path, "scipy", code)
    quiet = started("mcnemar", "--b", "5", "--c", "7", PYTHONPATH=path, TMPDIR=str(tmp_path))
    loud = started("mcnemar", "--b", "5", "--c", "7", PYTHONPATH=path, TMPDIR=str(tmp_path), FAIRTRIAL_DEBUG="1")
    assert quiet.stderr.count(b"\n") == 1
    assert b"careful" in loud.stderr
    assert b"mind" in loud.stderr


def test_nothing_is_changed_for_python_users(scores: str) -> None:
    code = (
        "import csv, logging, warnings, numpy, pyarrow\n"
        "before = list(warnings.filters), csv.field_size_limit()\n"
        "import fairtrial, fairtrial.cli.app\n"
        f"fairtrial.read_trials({scores!r})\n"
        "assert (warnings.filters, csv.field_size_limit()) == before and not logging.root.manager.disable"
    )
    subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, check=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_end_it_with_one_line(number: signal.Signals, tmp_path: Path) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the signal is ignored here, and stays so")
    path = stub(tmp_path, "scipy", f"import os, time\nos.kill(os.getpid(), {int(number)})\ntime.sleep(20)\n")
    found = started("mcnemar", "--b", "5", "--c", "7", PYTHONPATH=path)
    assert found.returncode == 128 + number
    assert found.stderr.decode() == f"ended by {number.name}\n"


def test_it_ends_though_a_thread_goes_on(tmp_path: Path) -> None:
    """Threads that read ahead held up the end of a process: 1 of 5 where a .gz was cut off, its error already said."""
    code = "import atexit, threading, time\natexit.register(print, 'cleaned up')\n"
    code += "threading.Thread(target=time.sleep, args=(100,)).start()\nraise MemoryError\n"
    found = started("mcnemar", "--b", "5", "--c", "7", PYTHONPATH=stub(tmp_path, "scipy", code))
    assert (found.returncode, found.stdout) == (2, b"cleaned up\n")
    assert found.stderr.startswith(b"error: there is not enough memory")


def test_a_wrong_option_is_said_without_escapes() -> None:
    found = started("evaluate", "--\x1b]0;x")
    assert found.returncode == 2
    assert b"\x1b" not in found.stderr
    assert b"\\x1b]0;x" in found.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space")
@pytest.mark.parametrize("megabytes", [600, 1500])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_libraries_do_not_abort_if_addresses_are_limited(megabytes: int, ending: str, tmp_path: Path) -> None:
    """Arrow and OpenBLAS ended the process as they could not start a thread."""
    import resource

    rng = np.random.default_rng(0)
    count = 300_000
    genuine = rng.random(count) < 0.1
    ids = [f"person {k}" for k in rng.integers(0, 300, count)]
    path = str(tmp_path / f"a.{ending}")
    write_trials(Trials.from_arrays(rng.normal(size=count) + 2 * genuine, genuine, systems=["face"], claim=ids), path)
    limit = (megabytes * 2**20,) * 2
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "OMP_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-m", "fairtrial", "evaluate", "--dev", path, "--test", path],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
    )
    assert done.returncode == 0 or (done.returncode == 2 and done.stderr.count("\n") == 1), done.stderr
    assert "not enough memory" in done.stderr or not done.stderr


def test_a_command_ends_with_its_worker_processes() -> None:
    """It waited for them until they had been idle for five minutes."""
    done = started("benchmark", "--set", "LP2", "--workers", "2", "--json")
    assert done.returncode == 0, done.stderr


def test_an_argument_with_the_end_of_a_line_is_spelled_out() -> None:
    done = started("demo", "example", "a\nb")
    assert done.returncode == 2
    assert rb"a\nb; " in done.stderr
    assert done.stderr.count(b"\n") == 1
