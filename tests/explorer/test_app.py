"""The server as a browser meets it, and as somebody else does."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from explorer.opened import write_sets
from fairtrial import evaluate, read_pair
from fairtrial.explorer import app, files
from fairtrial.explorer.app import served
from fairtrial.explorer.guard import POLICY

Asked = dict[str, Any]


class Client:
    """A browser without a page."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.root = parts.netloc, parts.path
        status, _, headers = self.send("GET", self.root)
        assert status == 303
        self.base = headers["location"]

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes, Any]:
        link = http.client.HTTPConnection(self.host, timeout=30)
        known = {"Origin": f"http://{self.host}"} if method not in ("GET", "HEAD") else {}
        link.request(
            method, path, body, {**known, **{name.replace("_", "-"): value for name, value in headers.items()}}
        )
        answer = link.getresponse()
        body = answer.read()
        link.close()
        return answer.status, body, answer.headers

    def call(self, path: str, method: str = "GET", fields: Asked | None = None) -> tuple[int, Any]:
        body = None if fields is None else json.dumps(fields).encode()
        status, body, _ = self.send(method, f"{self.base}api/{path}", body)
        return status, json.loads(body)

    def done(self, path: str, fields: Asked) -> Any:
        status, body = self.call(path, "POST", fields)
        while "job" in body:
            status, body = self.call(f"jobs/{body['job']}")
        assert status == 200, body
        return body["result"]


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_sets(tmp_path_factory.mktemp("scores"))


@pytest.fixture(scope="module")
def address(paths: list[str]) -> Iterator[str]:
    with served(paths) as address:
        yield address


@pytest.fixture(scope="module")
def client(address: str) -> Client:
    client = Client(address)
    client.done("read", {"dev": ["f1"], "test": ["f2"]})
    return client


def test_a_session_begins_with_the_files_of_the_command_line(address: str, paths: list[str]) -> None:
    status, session = Client(address).call("session")
    assert status == 200
    assert [file["name"] for file in session["files"]] == paths
    assert (session["data"], session["reading"]) == (None, None)
    assert "eer" in [rule["name"] for rule in session["criteria"]]


def test_numbers_are_those_of_evaluate(client: Client, paths: list[str]) -> None:
    answer = client.done("ask", {"question": "evaluate", "criterion": "wer-min", "alpha": 0.3})
    dev, test = read_pair(*paths)
    for system in answer["result"]["systems"]:
        (known,) = evaluate(dev, test, systems=system["system"], criterion="wer-min", alpha=0.3).to_dict()["systems"]
        assert system["test"] == known["test"]
    assert answer["repeated"]["command"].startswith("fairtrial evaluate --dev ")


@pytest.mark.parametrize(
    ("file", "begins"),
    [
        ("report.html", b"<!doctype html>"),
        ("table.csv", b"system"),
        ("table.tex", b"\\begin"),
        ("table.json", b"{"),
        ("table.parquet", b"PAR1"),
        ("det.svg", b"<?xml"),
        ("roc.png", b"\x89PNG"),
        ("diagnostic.pdf", b"%PDF"),
    ],
)
def test_what_can_be_taken_away(client: Client, file: str, begins: bytes) -> None:
    key = client.done("ask", {"question": "evaluate", "criterion": "eer"})["answer"]
    status, content, headers = client.send("GET", f"{client.base}api/answers/{key}/{file}")
    assert (status, content.lstrip()[: len(begins)]) == (200, begins)
    assert headers["content-disposition"] == f'attachment; filename="{file}"'
    if file == "report.html":
        assert "sandbox" in headers["content-security-policy"]


@pytest.mark.parametrize("file", ["table.exe", "nothing.png", "det.gif", "report.pdf"])
def test_what_cannot_be_taken_away_is_told(client: Client, file: str) -> None:
    key = client.done("ask", {"question": "evaluate", "criterion": "eer"})["answer"]
    status, refusal = client.call(f"answers/{key}/{file}")
    assert (status, list(refusal)) == (422, ["error", "code", "controls"])


def test_a_file_is_dropped_read_and_closed(client: Client) -> None:
    text = b"label,face\n1,0.9\n1,0.7\n0,0.2\n0,0.8\n"
    status, body, _ = client.send("PUT", f"{client.base}api/files?name={quote('<b>new</b>.csv')}", text)
    file = json.loads(body)
    assert (status, file["name"], file["size"], file["dropped"]) == (200, "b_.csv", len(text), True)
    assert client.call(f"files/{file['key']}", "DELETE")[0] == 200
    assert client.call(f"files/{file['key']}", "DELETE")[0] == 422


def test_a_file_that_is_too_large_leaves_nothing_behind(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(address)
    monkeypatch.setattr(files, "MAX_UPLOADED", 10)
    status, body, _ = client.send("PUT", f"{client.base}api/files?name=big.csv", b"x" * 100)
    assert status == 422
    assert b"too large" in body
    assert len(client.call("session")[1]["files"]) == 2


def test_an_upload_that_breaks_off_leaves_nothing_behind(
    paths: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with served(paths) as address:
        break_off(address, tmp_path)
    assert capfd.readouterr().err == ""


def break_off(address: str, tmp_path: Path) -> None:
    client, parts = Client(address), urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as link:
        head = (
            f"PUT {client.base}api/files?name=x.csv HTTP/1.1\r\nHost: {client.host}\r\nOrigin: http://{client.host}\r\n"
        )
        link.sendall(f"{head}Content-Length: 1000\r\n\r\nlabel".encode())
        while not list(tmp_path.rglob("x.csv")):
            sleep(0.01)
    while list(tmp_path.rglob("x.csv")):
        sleep(0.01)
    assert client.call("session")[1]["files"] == Client(address).call("session")[1]["files"]


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b'{"question": "evaluate"}' + b" " * app._MAX_JSON, b'{"question": 3}', b"\xff", b"[" * 10**5],
)
def test_what_is_not_a_question_is_told(client: Client, body: bytes) -> None:
    status, refusal, _ = client.send("POST", f"{client.base}api/ask", body)
    assert (status, list(json.loads(refusal))) == (422, ["error", "code", "controls"])


def test_bad_files_get_an_error_in_the_words_of_the_page_and_the_rest_stays(client: Client) -> None:
    client.send("PUT", f"{client.base}api/files?name=gap.csv", b"label,face\n1,0.9\n0,\n0,0.1\n")
    key = client.call("session")[1]["files"][-1]["key"]
    status, refusal = client.call("read", "POST", {"dev": [key], "folds": 2})
    assert status == 422
    assert refusal["error"].startswith("gap.csv, row 2: the score of face is NaN")
    assert "“A trial without a score: is left out”" in refusal["error"]
    assert "nan" in refusal["controls"]
    assert client.call("session")[1]["data"]["systems"] == ["face", "voice", "gait"]


def test_answers_say_how_browsers_are_to_treat_them(client: Client) -> None:
    _, page, headers = client.send("GET", client.base)
    assert headers["content-security-policy"] == POLICY
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert headers["cache-control"] == "no-store"
    assert b"<script>" not in page
    assert b"style=" not in page


@pytest.mark.parametrize("name", ["main.js", "explorer.css", "charts.js", "d3.min.js", "palette.css", "theme.css"])
def test_the_pages_own_files(client: Client, name: str) -> None:
    assert client.send("GET", f"{client.root}static/{name}")[0] == 200


@pytest.mark.parametrize(
    "name", ["..%2f..%2fapp.py", "../app.py", "index.html", "%2e%2e/guard.py", "/etc/passwd", "x.js"]
)
def test_no_other_files(client: Client, name: str) -> None:
    assert client.send("GET", f"{client.root}static/{name}")[0] in (403, 404, 410)


def test_an_unknown_session_is_told(client: Client) -> None:
    status, refusal, _ = client.send("GET", f"{client.root}nobody/api/session")
    assert (status, list(json.loads(refusal))) == (410, ["error", "code", "controls"])


def test_an_error_of_ours_is_told_and_the_server_goes_on(
    client: Client, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*given: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("fairtrial.explorer.data.Data.look", broken)
    status, refusal = client.call("look")
    assert status == 500
    assert "oh" in refusal["error"]
    assert "ZeroDivisionError" in capfd.readouterr().err
    assert client.call("session")[0] == 200


def test_a_deleted_file_is_told_and_a_changed_one_has_to_be_read_again(tmp_path: Path) -> None:
    paths = write_sets(tmp_path)
    with served(paths) as address:
        client = Client(address)
        client.done("read", {"dev": ["f1"], "test": ["f2"]})
        Path(paths[1]).write_text(Path(paths[0]).read_text())
        for path in ("look", "at?threshold=0.5"):
            status, refusal = client.call(path)
            assert (status, refusal["code"]) == (422, "input")
        client.done("read", {"dev": ["f1"], "test": ["f2"]})
        assert client.call("look")[0] == 200
        Path(paths[1]).unlink()
        for other in (client, Client(address)):
            assert "no such file" in other.call("session")[1]["files"][1]["trouble"]
            status, refusal = other.call("read", "POST", {"dev": ["f1"], "test": ["f2"]})
            while "job" in refusal:
                status, refusal = other.call(f"jobs/{refusal['job']}")
            assert (status, refusal["code"]) == (422, "input")


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_though_work_goes_on(number: int, tmp_path: Path) -> None:
    """The page asks for something that never ends; dropped files are deleted."""
    script = (
        "import time\nfrom fairtrial.explorer.data import Data\nfrom fairtrial.explorer import app\n"
        "Data.look = lambda *given: time.sleep(1000)\napp._PATIENCE = 1\n"
        "from fairtrial.cli.entry import run\nrun()"
    )
    words = [sys.executable, "-c", script, "explore", *write_sets(tmp_path), "--no-browser"]
    folder = tmp_path / "temporary"
    folder.mkdir()
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)}
    ) as process:
        assert process.stdout is not None
        client = Client(process.stdout.readline().split()[-1])
        client.send("PUT", f"{client.base}api/files?name=a.csv", b"label,face\n1,0.9\n0,0.2\n")
        client.done("read", {"dev": ["f1"], "test": ["f2"]})

        def ask() -> None:
            with suppress(OSError, http.client.HTTPException):
                client.call("look")

        threading.Thread(target=ask, daemon=True).start()
        sleep(0.5)
        process.send_signal(number)
        process.wait(30)
    assert not list(folder.rglob("a.csv"))
