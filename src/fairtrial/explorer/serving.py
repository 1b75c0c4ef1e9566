"""The explorer as a server on this machine, until it is stopped."""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep

import uvicorn

from fairtrial.core.errors import ParameterError
from fairtrial.explorer.app import make_app
from fairtrial.explorer.sessions import Words

_HOST = "127.0.0.1"


@contextmanager
def _bound(port: int) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            own.bind((_HOST, port))
        except (OSError, OverflowError) as error:
            raise ParameterError(f"port {port} cannot be used: {error}; choose another, or none at all") from error
        yield own


def serve(
    paths: list[str], *, port: int = 0, words: Words = str, ready: Callable[[str], None] = lambda address: None
) -> None:
    """Serve the explorer to browsers on this machine, until Ctrl-C.

    Parameters
    ----------
    paths
        Score files, globs and directories that are open from the start.
    port
        Where to listen; 0: any free port.
    words
        How errors of the library are put to the user.
    ready
        Called with the address, as soon as it answers.
    """
    with _running(paths, port, words) as (server, own, address):
        watch = threading.Thread(target=_when_started, args=(server, lambda: ready(address)), daemon=True)
        watch.start()
        server.run(sockets=[own])


@contextmanager
def _running(paths: list[str], port: int, words: Words) -> Iterator[tuple[uvicorn.Server, socket.socket, str]]:
    token = secrets.token_urlsafe(24)
    with _bound(port) as own:
        used = int(own.getsockname()[1])
        app, sessions = make_app(paths, token=token, port=used, words=words)
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        try:
            yield uvicorn.Server(config), own, f"http://{_HOST}:{used}/{token}/"
        finally:
            sessions.close()


@contextmanager
def served(paths: list[str], *, words: Words = str) -> Iterator[str]:
    """The address of an explorer that runs in a thread as long as the context lasts, as in a notebook or a test."""
    with _running(paths, 0, words) as (server, own, address):
        thread = threading.Thread(target=server.run, kwargs={"sockets": [own]}, daemon=True)
        thread.start()
        _when_started(server, lambda: None)
        try:
            yield address
        finally:
            server.should_exit = True
            thread.join(10)


def _when_started(server: uvicorn.Server, then: Callable[[], None]) -> None:
    while not server.started and not server.should_exit:
        sleep(0.01)
    if server.started:
        then()
