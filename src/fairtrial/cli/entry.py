"""Load and run the command line; any error becomes one line and an exit code.

    0      all went well
    1      the pipe of the output was closed
    2      an error that the user can mend
    70     a bug of fairtrial: a report of it is saved
    130    Ctrl-C; 128 + N for another signal N

Little is imported before `run` begins, so that Ctrl-C is answered at any time.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from errno import EDQUOT, EFBIG, EIO, ENOMEM, ENOSPC, EPIPE
from types import FrameType
from typing import NoReturn

_DEBUG = "FAIRTRIAL_DEBUG"
_BUG = 70
_ARENAS = -8
"""The parameter of mallopt for the number of arenas, each of which reserves 64 MB."""
_FULL = (ENOSPC, EDQUOT, EFBIG, EIO)
_NO_MEMORY = ("failed to map segment", "cannot allocate memory", "failed to launch worker thread", "start new thread")
"""Parts of messages about a library that could not be loaded, or a thread not be started, for want of memory."""


def run() -> NoReturn:
    """Run the command line with the arguments of the process, and end it."""
    try:
        _answer_signals()
        _open_closed()
        _keep_quiet()
        _spare_addresses()
        from fairtrial.cli.app import work

        status = work()
        sys.stdout.flush()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except KeyboardInterrupt:
        status = stopped(signal.SIGINT)
    except Exception as error:
        status = _failed(error)
    _end(status)


def _end(status: int) -> NoReturn:
    """Run exit handlers and end the process at once.

    Threads of Arrow may still read ahead, and Python would sometimes wait for them for ever.
    """
    with suppress(KeyboardInterrupt):
        # Python would wait for its processes until they have been idle for long
        if "joblib.externals.loky" in sys.modules:
            from joblib.externals.loky import get_reusable_executor

            get_reusable_executor().shutdown(kill_workers=True)
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def stopped(number: int) -> int:
    """Print that a signal ended the command, and give the exit code; a second signal ends it at once."""
    signal.signal(number, signal.SIG_DFL)
    _say("interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}")
    return 128 + number


def _answer_signals() -> None:
    """Clean up on SIGTERM and SIGHUP as after Ctrl-C, instead of ending at once."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(stopped(number))


def _open_closed() -> None:
    """Replace a closed output by one that discards; libraries write to it unchecked."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until the end


def _keep_quiet() -> None:
    """Print in any encoding, and silence warnings and logs of libraries, here and in worker processes."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if os.environ.get(_DEBUG) or sys.warnoptions:
        return
    import logging
    import warnings

    warnings.simplefilter("ignore")
    os.environ["PYTHONWARNINGS"] = "ignore"
    logging.disable()


def _spare_addresses() -> None:
    """Use one thread if addresses are limited (ulimit -v): libraries abort if they cannot reserve some for a thread."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ARROW_IO_THREADS"):
        os.environ[name] = "1"
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # others reserve more than they use
    with suppress(OSError, AttributeError):  # a libc without arenas
        import ctypes

        ctypes.CDLL(None).mallopt(_ARENAS, 1)


def _failed(error: Exception) -> int:
    """Print the error, and give the exit code."""
    if os.environ.get(_DEBUG):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, OSError) and error.errno == EPIPE:
        _drop_output()
        return 1
    if isinstance(error, OSError) and error.errno in _FULL:
        _drop_output()
        _say(f"error: {error.filename or 'the output'}: cannot be written: {error.strerror}")
        return 2
    if is_of_memory(error):
        _say("error: there is not enough memory for this; use fewer systems or points, or read in pieces with --memory")
        return 2
    from fairtrial.core.words import cut, visible

    what = visible(cut(f"{type(error).__name__}: {error}", 200))
    _say(f"error: this is a bug of fairtrial ({what}); {_saved(error)}")
    return _BUG


def is_of_memory(error: Exception) -> bool:
    """Check whether an error is about too little memory."""
    text = str(error).lower()
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == ENOMEM)
        or any(words in text for words in _NO_MEMORY)
    )


def _saved(error: Exception) -> str:
    """Save a report, and name its file."""
    import platform
    import shlex
    import tempfile
    import traceback

    from fairtrial import __version__

    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="fairtrial-bug-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            print(f"fairtrial {__version__}, Python {platform.python_version()}, {platform.platform()}", file=file)
            print(shlex.join(["fairtrial", *sys.argv[1:]]), end="\n\n", file=file)
            traceback.print_exception(error, file=file)
    except OSError as reason:
        return f"no report could be saved ({reason.strerror}): {_DEBUG}=1 shows it"
    return f"a report was saved in {file.name}: please send it to the developers"


def _drop_output() -> None:
    """Discard further output that cannot be written, also at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(line: str) -> None:
    with suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)
