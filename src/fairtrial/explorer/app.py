"""The explorer as a server on this machine: its addresses, and what each of them does."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
import threading
import traceback
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import resources
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from fairtrial import __version__
from fairtrial.core.errors import FairtrialError, ParameterError
from fairtrial.core.parameters import read_number
from fairtrial.core.tables import json_text
from fairtrial.core.words import wording
from fairtrial.explorer.data import Data, Reading, criteria_shown
from fairtrial.explorer.forms import CHOICES, LABELS, as_on_page, controls_of
from fairtrial.explorer.guard import REPORT_HEADERS, Guard
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.questions import QUESTIONS
from fairtrial.explorer.sessions import Session, Sessions
from fairtrial.formats.sheets import ROLES
from fairtrial.pages.page import palette

_HOST = "127.0.0.1"
_PATIENCE = 5.0
"""Seconds that the server may take to begin, and work to end after a signal."""
_MAX_JSON = 1 << 20
_FIRST_WAIT = 0.25
"""Seconds after which a question that is not answered goes on in the background."""
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
}
_SHARED = {"charts.js", "charts.css", "theme.css", "page.css", "tables.js", "theme.js", "d3.min.js", "plot.umd.min.js"}
"""What the explorer shares with the report."""
Work = Callable[[Session, Request], Awaitable[Response]]


def make_app(paths: list[str], *, token: str, port: int) -> tuple[Guard, Sessions]:
    """Return the app, and the sessions that are to be closed at its end.

    Parameters
    ----------
    paths
        Files that every session has open from the start.
    token
        What the address of every request must begin with.
    port
        Where the server listens.
    """
    sessions = Sessions(paths)

    def route(address: str, work: Work, *methods: str) -> Route:
        async def answer(request: Request) -> Response:
            session = sessions.get(request.path_params["session"])
            if session is None:
                return _error(410, "this session is closed; open the address that fairtrial explore printed")
            try:
                return await work(session, request)
            except FairtrialError as error:
                return _error(422, session.worded(error), error.code, controls_of(error.text))
            except OSError as error:
                return _error(422, session.worded(f"{error.filename or 'a file'}: {error.strerror}"), "file")
            except ClientDisconnect:  # nobody is left to be told
                return Response(status_code=400)
            except Exception as error:  # the page goes on, and the terminal says what happened
                traceback.print_exception(error)
                return _error(500, f"an error of fairtrial itself: {error!r}; the terminal says more")

        return Route(f"/{token}/{{session}}{address}", answer, methods=list(methods) or ["GET"])

    async def begin(request: Request) -> Response:
        session = await run_in_threadpool(sessions.new)
        return RedirectResponse(f"/{token}/{session.key}/", 303)

    routes = [
        Route(f"/{token}/", begin),
        Route(f"/{token}/static/{{name}}", _static),
        route("/", _page),
        route("/api/session", _session),
        route("/api/files", _drop, "PUT"),
        route("/api/files/{file}", _close_file, "DELETE"),
        route("/api/read", partial(_read, sessions), "POST"),
        route("/api/look", _at_once(lambda data, asked: data.look(asked.getlist("system")))),
        route(
            "/api/track",
            _at_once(lambda data, asked: data.track(asked.getlist("system"), asked.get("criterion", "eer"))),
        ),
        route("/api/at", _at_once(_at)),
        route("/api/ask", _ask, "POST"),
        route("/api/jobs/{job}", _job),
        route("/api/jobs/{job}", _stop, "DELETE"),
        route("/api/answers/{answer}/{file}", _take),
    ]
    return Guard(Starlette(routes=routes), token, port), sessions


def _json(content: Any, status: int = 200) -> Response:
    return Response(json_text(content), status, media_type="application/json")


def _error(status: int, message: str, code: str = "", controls: Sequence[str] = ()) -> Response:
    return _json({"error": message, "code": code, "controls": controls}, status)


async def _static(request: Request) -> Response:
    """Return the explorer's own files, by name; there is no way from a name to another folder."""
    name = request.path_params["name"]
    if name == "palette.css":
        return Response(palette(), media_type=_KINDS[".css"])
    room = resources.files("fairtrial.pages") if name in _SHARED else resources.files("fairtrial.explorer") / "static"
    files = {file.name: file for folder in (room, room / "vendor") if folder.is_dir() for file in folder.iterdir()}
    kind = _KINDS.get(Path(name).suffix, "")
    if name not in files or Path(name).suffix not in (".css", ".js"):
        return _error(404, "there is no such file")
    return Response(files[name].read_bytes(), media_type=kind)


async def _page(session: Session, request: Request) -> Response:
    page = (resources.files("fairtrial.explorer") / "static" / "index.html").read_bytes()
    return Response(page, media_type=_KINDS[".html"])


async def _session(session: Session, request: Request) -> Response:
    """Return all that the page needs to begin, or to go on after a reload."""
    data = session.data
    files = await run_in_threadpool(lambda: [file.to_dict(session.worded) for file in session.files])
    return _json(
        {
            "version": __version__,
            "files": files,
            "data": None if data is None else _described(data),
            "reading": None if data is None else data.reading.asked,
            "criteria": criteria_shown(),
            "roles": list(ROLES),
            "labels": LABELS,
            "choices": {name: list(choices.items()) for name, choices in CHOICES.items()},
        }
    )


def _described(data: Data) -> dict[str, Any]:
    """Describe what was read, and which questions can be asked of it."""
    asked = {
        name: {
            "cannot": question.refusal(data),
            "fields": [] if question.refusal(data) else question.form(data),
            "at_threshold": question.at_threshold,
        }
        for name, question in QUESTIONS.items()
    }
    return {**data.summary, "questions": asked}


async def _drop(session: Session, request: Request) -> Response:
    """Receive a file that was dropped."""
    file = await session.files.receive(request.query_params.get("name", "scores"), request.stream())
    return _json(file.to_dict(session.worded))


async def _close_file(session: Session, request: Request) -> Response:
    session.files.remove(request.path_params["file"])
    return _json({})


async def _fields(request: Request) -> dict[str, Any]:
    """Read the fields that the browser sent."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_JSON:
            raise ParameterError("more was sent than a question can hold")
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ParameterError("what was sent is not JSON, or nests too deeply") from error
    if not isinstance(fields, dict):
        raise ParameterError("what was sent holds no fields")
    return fields


async def _read(sessions: Sessions, session: Session, request: Request) -> Response:
    reading = Reading.of(await _fields(request))
    files = await run_in_threadpool(reading.files, session.files)

    def work(advance: Advance) -> dict[str, Any]:
        session.look_at(sessions.read(reading, files, advance))
        return _described(session.known_data())

    return await _awaited(session, session.begin(work, "read"))


def _at_once(compute: Callable[[Data, QueryParams], dict[str, Any]]) -> Work:
    """Answer from the trials and the address alone."""

    async def work(session: Session, request: Request) -> Response:
        return _json(await run_in_threadpool(compute, session.known_data(), request.query_params))

    return work


def _at(data: Data, asked: QueryParams) -> dict[str, Any]:
    """Errors at a threshold that is being dragged, or at a weight or target that was typed."""
    numbers = {name: read_number(asked[name]) for name in ("alpha", "threshold") if name in asked}
    return data.at(asked.getlist("system"), {**asked, **numbers})


async def _ask(session: Session, request: Request) -> Response:
    given = await _fields(request)
    kind = given.get("question")
    if not isinstance(kind, str) or kind not in QUESTIONS:
        raise ParameterError(f"there is no such question; there are {', '.join(QUESTIONS)}")
    question = QUESTIONS[kind]
    asked = question.of(session.known_data(), given)

    def work(advance: Advance) -> dict[str, Any]:
        answer = question.answer(asked, advance)
        advance(1.0)
        key, kept = session.keep(question, asked, answer)
        return {"answer": key, **answer.to_dict(), "repeated": kept.repeated.to_dict()}

    slot = given.get("slot")
    return await _awaited(session, session.begin(work, slot if isinstance(slot, str) else kind))


async def _job(session: Session, request: Request) -> Response:
    return await _awaited(session, request.path_params["job"])


async def _awaited(session: Session, key: str) -> Response:
    """Return the result, if it comes at once; else how far it is."""
    job = session.job(key)
    await asyncio.to_thread(job.wait, _FIRST_WAIT)
    if not job.ended:
        return _json({"job": key, "done": job.done, "seconds": job.seconds})
    if job.stopped:
        return _json({"stopped": True})
    if job.error is not None:
        raise job.error
    return _json({"result": job.result})


async def _stop(session: Session, request: Request) -> Response:
    session.job(request.path_params["job"]).stop()
    return _json({"stopped": True})


async def _take(session: Session, request: Request) -> Response:
    """Return a file of an answer: report.html, table.csv, NAME.svg ..."""
    kept = session.kept(request.path_params["answer"])
    file = Path(request.path_params["file"])
    name, ending = file.stem, file.suffix
    headers = {"Content-Disposition": f'attachment; filename="{name}{ending}"'} if name.isascii() else {}
    if file.name == "report.html":
        headers = {**REPORT_HEADERS, **({} if "show" in request.query_params else headers)}
        make: Callable[[], str | bytes] = kept.report
    else:
        make = partial(kept.table, ending) if name == "table" else partial(kept.picture, name, ending)
    with wording(style="shell"):  # files have the words of the command line
        content = await run_in_threadpool(make)
    return Response(content, media_type=_KINDS.get(ending, "application/octet-stream"), headers=headers)


class _Server(uvicorn.Server):
    """Says when it answers, and ends after a signal even if some work does not."""

    ready: Callable[[], None] = staticmethod(lambda: None)
    ended: Callable[[], None] = staticmethod(lambda: None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer; a thread says so, as a browser in a terminal keeps it."""
        await super().startup(sockets)
        threading.Thread(target=self.ready, daemon=True).start()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        with wording(style=as_on_page):
            super().run(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end, and end the process if that takes too long."""
        if not self.should_exit:
            timer = threading.Timer(_PATIENCE, self._give_up, (sig,))
            timer.daemon = True
            timer.start()
        super().handle_exit(sig, frame)

    def _give_up(self, sig: int) -> None:
        self.ended()
        os._exit(128 + sig)


def serve(paths: list[str], *, port: int = 0, ready: Callable[[str], None] = lambda address: None) -> None:
    """Serve the explorer to browsers on this machine, until Ctrl-C.

    Parameters
    ----------
    paths
        Score files, globs and directories that are open from the start.
    port
        Where to listen; 0: any free port.
    ready
        Called with the address, as soon as it answers.
    """
    with _running(paths, port) as (server, listening, address):
        server.ready = partial(ready, address)
        server.run(sockets=[listening])


@contextmanager
def _running(paths: list[str], port: int) -> Iterator[tuple[_Server, socket.socket, str]]:
    token = secrets.token_urlsafe(24)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((_HOST, port))
        except (OSError, OverflowError) as error:
            raise ParameterError(f"port {port} cannot be used: {error}; choose another, or none at all") from error
        used = int(listening.getsockname()[1])
        app, sessions = make_app(paths, token=token, port=used)
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
        server = _Server(config)
        server.ended = sessions.close
        try:
            yield server, listening, f"http://{_HOST}:{used}/{token}/"
        finally:
            sessions.close()


@contextmanager
def served(paths: list[str]) -> Iterator[str]:
    """Serve an explorer in a thread as long as the context lasts, as in a notebook or a test; give its address."""
    with _running(paths, 0) as (server, listening, address):
        started = threading.Event()
        server.ready = started.set
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        started.wait(_PATIENCE)
        try:
            yield address
        finally:
            server.should_exit = True
            thread.join(10)
