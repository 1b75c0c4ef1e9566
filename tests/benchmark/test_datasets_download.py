"""Downloads from a server that does not do what it should."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from fairtrial.benchmark import datasets as download
from fairtrial.benchmark.datasets import fetch, without_password
from fairtrial.core.errors import InputError

CONTENT = b"1 1 0.5\n" * 1000


class Handler(BaseHTTPRequestHandler):
    """Gives more than anybody asked for, says nothing, or asks for a password."""

    def do_GET(self) -> None:
        if self.path == "/silent":
            self.server.awaited.wait(5)  # type: ignore[attr-defined]
            return
        if self.path == "/secret" and self.headers.get("Authorization") != "Basic bWU6aHVzaA==":
            self.send_error(401)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(CONTENT)

    def log_message(self, format: str, *given: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.awaited = threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"127.0.0.1:{running.server_address[1]}"
        running.awaited.set()  # type: ignore[attr-defined]
        running.shutdown()
        thread.join()


def get(address: str, folder: Path) -> Path:
    return fetch(address, hashlib.sha256(CONTENT).hexdigest(), folder, instead="put it there yourself")


def test_a_file_that_is_too_large_is_not_kept(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_MOST", 4096)
    with pytest.raises(InputError) as error:
        get(f"http://{server}/a.csv", tmp_path)
    assert error.value.code == "too-large"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_takes_too_long_is_not_kept(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_PATIENCE", -1.0)
    with pytest.raises(InputError) as error:
        get(f"http://{server}/a.csv", tmp_path)
    assert error.value.code == "too-slow"
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_says_nothing(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_SILENCE", 0.2)
    with pytest.raises(InputError, match="ReadTimeout") as error:
        get(f"http://{server}/silent", tmp_path)
    assert error.value.code == "download"


def test_a_password_is_used_and_never_shown(server: str, tmp_path: Path) -> None:
    assert get(f"http://me:hush@{server}/secret", tmp_path).read_bytes() == CONTENT
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        closed = f"http://me:hush@127.0.0.1:{taken.getsockname()[1]}/other"
        with pytest.raises(InputError, match="cannot be downloaded") as caught:
            get(closed, tmp_path)
    assert "hush" not in str(caught.value)
    assert "me:" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:hu@sh@example.org/a", "https://example.org/a"),
        ("https://example.org/a", "https://example.org/a"),
        ("me:hush@example.org/a", "example.org/a"),
        ("ftp://me@example.org", "ftp://example.org"),
    ],
)
def test_addresses_without_passwords(address: str, shown: str) -> None:
    assert without_password(address) == shown
