"""The addresses of the explorer, and what is done at each."""

from __future__ import annotations

import asyncio
import json
import os
import traceback
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from fairtrial import __version__
from fairtrial.core.errors import FairtrialError, ParameterError
from fairtrial.core.tables import json_text
from fairtrial.core.words import cut
from fairtrial.explorer.answers import Question
from fairtrial.explorer.choices import vocabulary
from fairtrial.explorer.data import Data
from fairtrial.explorer.guard import REPORT_HEADERS, Guard
from fairtrial.explorer.jobs import Advance
from fairtrial.explorer.keeping import kept_picture, kept_report, kept_table
from fairtrial.explorer.points import Point
from fairtrial.explorer.questions import QUESTIONS
from fairtrial.explorer.reading import Reading
from fairtrial.explorer.sessions import Session, Sessions, Words
from fairtrial.pages.page import palette

_MOST_JSON = 1 << 20
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


def make_app(paths: list[str], *, token: str, port: int, words: Words = str) -> tuple[Guard, Sessions]:
    """The app, and the sessions that are to be closed at its end.

    Parameters
    ----------
    paths
        Files that every session has open from the start.
    token
        What the address of every request must begin with.
    port
        Where the server listens.
    words
        How errors of the library are put to the user.
    """
    sessions = Sessions(paths, words)

    def route(address: str, work: Work, *methods: str) -> Route:
        async def answer(request: Request) -> Response:
            session = sessions.get(request.path_params["session"])
            if session is None:
                return _told(410, "this session is closed; open the address that fairtrial explore printed")
            try:
                return await work(session, request)
            except FairtrialError as error:
                return _told(422, session.said(str(error)))
            except ClientDisconnect:  # nobody is left to be told
                return Response(status_code=400)
            except Exception as error:  # the page goes on, and the terminal says what happened
                traceback.print_exception(error)
                return _told(500, f"an error of fairtrial itself: {error!r}; the terminal says more")

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
        route("/api/look", _look),
        route("/api/track", _track),
        route("/api/at", _at),
        route("/api/ask", _ask, "POST"),
        route("/api/jobs/{job}", _job),
        route("/api/jobs/{job}", _stop, "DELETE"),
        route("/api/answers/{answer}/{file}", _take),
    ]
    return Guard(Starlette(routes=routes), token, port), sessions


def _json(found: Any, status: int = 200) -> Response:
    return Response(json_text(found), status, media_type="application/json")


def _told(status: int, message: str) -> Response:
    return _json({"error": message}, status)


async def _static(request: Request) -> Response:
    """The explorer's own files, by name; there is no way from a name to another folder."""
    name = request.path_params["name"]
    if name == "palette.css":
        return Response(palette(), media_type=_KINDS[".css"])
    room = resources.files("fairtrial.pages") if name in _SHARED else resources.files("fairtrial.explorer") / "static"
    known = {own.name: own for folder in (room, room / "vendor") if folder.is_dir() for own in folder.iterdir()}
    kind = _KINDS.get(Path(name).suffix, "")
    if name not in known or Path(name).suffix not in (".css", ".js"):
        return _told(404, "there is no such file")
    return Response(known[name].read_bytes(), media_type=kind)


async def _page(session: Session, request: Request) -> Response:
    page = (resources.files("fairtrial.explorer") / "static" / "index.html").read_bytes()
    return Response(page, media_type=_KINDS[".html"])


async def _session(session: Session, request: Request) -> Response:
    """All that the page needs to begin, or to go on after a reload."""
    data = session.data
    return _json(
        {
            "version": __version__,
            "files": [file.to_dict(session.said) for file in session.shelf],
            "data": None if data is None else data.summary,
            "reading": None if data is None else data.reading.to_dict(),
            "words": vocabulary(),
        }
    )


async def _drop(session: Session, request: Request) -> Response:
    """A file that was dropped, written as it comes, never more than there is room for."""
    place = await session.shelf.receive(request.query_params.get("name", "scores"), request.stream())
    shelved = await run_in_threadpool(session.shelf.add_dropped, place)
    return _json(shelved.to_dict(session.said))


async def _close_file(session: Session, request: Request) -> Response:
    session.shelf.remove(request.path_params["file"])
    return _json({})


async def _fields(request: Request) -> dict[str, Any]:
    """What the browser sent, as fields."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_JSON:
            raise ParameterError("more was sent than a question can hold")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ParameterError("what was sent is not JSON, or nests too deeply") from error
    if not isinstance(found, dict):
        raise ParameterError("what was sent holds no fields")
    return found


async def _read(sessions: Sessions, session: Session, request: Request) -> Response:
    reading = Reading.of(await _fields(request))
    files = reading.files(session.shelf)

    def work(advance: Advance) -> dict[str, Any]:
        data = sessions.shared(reading, files)
        if data is None:
            total, done = max(sum(file.size for file in files.all), 1), 0

            def progress(size: int) -> None:
                nonlocal done
                done += size
                advance(0.95 * done / total)

            data = Data(reading.read(files, progress, room=_room()), reading, files)
            sessions.share(data)
        session.look_at(data)
        return data.summary

    return await _awaited(session, session.begin(work, "read"))


def _room() -> int:
    """Bytes that trials may take: half of the memory of the machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not every system says it
        return 4 * 10**9


async def _look(session: Session, request: Request) -> Response:
    data = session.known_data()
    return _json(await run_in_threadpool(data.look, request.query_params.getlist("system")))


async def _track(session: Session, request: Request) -> Response:
    data = session.known_data()
    asked = request.query_params
    return _json(await run_in_threadpool(data.track, asked.getlist("system"), asked.get("criterion", "eer")))


async def _at(session: Session, request: Request) -> Response:
    """The errors at a threshold that is being dragged, or at a weight or target that was typed."""
    data, asked = session.known_data(), request.query_params
    given: dict[str, Any] = {name: asked[name] for name in ("criterion",) if name in asked}
    for name in ("alpha", "threshold"):
        if name in asked:
            try:
                given[name] = float(asked[name])
            except ValueError as error:
                raise ParameterError(f"{name} must be a number, not {cut(asked[name])}") from error
    return _json(await run_in_threadpool(data.at, asked.getlist("system"), Point.of(given)))


async def _ask(session: Session, request: Request) -> Response:
    given = await _fields(request)
    kind = given.get("question")
    if not isinstance(kind, str) or kind not in QUESTIONS:
        raise ParameterError(f"there is no such question; there are {', '.join(QUESTIONS)}")
    data = session.known_data()
    question: Question = QUESTIONS[kind].of(given)

    def work(advance: Advance) -> dict[str, Any]:
        answer = question.answer(data, advance)
        key, kept = session.keep(question, answer, data)
        return {"answer": key, **answer.to_dict(), "repeated": kept.repeated.to_dict()}

    slot = given.get("slot")
    return await _awaited(session, session.begin(work, slot if isinstance(slot, str) else kind))


async def _awaited(session: Session, key: str) -> Response:
    """The result, if it comes at once; else how far it is."""
    await asyncio.to_thread(session.job(key).wait, _FIRST_WAIT)
    return _state(session, key)


async def _job(session: Session, request: Request) -> Response:
    key = request.path_params["job"]
    return await _awaited(session, key)


def _state(session: Session, key: str) -> Response:
    job = session.job(key)
    if not job.ended:
        return _json({"job": key, "done": job.done, "seconds": job.seconds})
    if job.stopped:
        return _json({"stopped": True})
    if job.error is not None:
        raise job.error
    if job.failure is not None:
        raise job.failure
    return _json({"result": job.result})


async def _stop(session: Session, request: Request) -> Response:
    session.job(request.path_params["job"]).stop()
    return _json({"stopped": True})


async def _take(session: Session, request: Request) -> Response:
    """A file of an answer: report.html, table.csv, NAME.svg ..."""
    kept = session.kept(request.path_params["answer"])
    file = Path(request.path_params["file"])
    name, ending = file.stem, file.suffix
    headers = {"Content-Disposition": f'attachment; filename="{name}{ending}"'} if name.isascii() else {}
    if file.name == "report.html":
        text = await run_in_threadpool(kept_report, kept)
        shown = {} if "show" in request.query_params else headers
        return Response(text, media_type=_KINDS[".html"], headers={**REPORT_HEADERS, **shown})
    if name == "table":
        found = await run_in_threadpool(kept_table, kept, ending)
    else:
        found = await run_in_threadpool(kept_picture, kept, name, ending)
    return Response(found, media_type=_KINDS.get(ending, "application/octet-stream"), headers=headers)
