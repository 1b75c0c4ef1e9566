"""Who may ask: only pages of this server, only with its token, and never more than a browser should send."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Of the explorer's own pages: nothing from elsewhere, nothing inline."""
_REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)
"""The policy of a report: its scripts may run, but the page has an opaque origin and cannot send requests."""
REPORT_HEADERS = {
    "Content-Security-Policy": _REPORT_POLICY,
    "Cross-Origin-Opener-Policy": "unsafe-none",  # by HTML, what is in a sandbox is not shown with any other
}
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """Refuses what does not come from a page of this server, and says how browsers are to treat answers."""

    app: ASGIApp
    token: str
    port: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        why = self._objection(scope)
        if why:
            answer = PlainTextResponse(why + "\n", 403, headers=_HEADERS)
            await answer(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_guarded)

    def _objection(self, scope: Scope) -> str:
        """Why a request is refused; empty where it is not."""
        headers = Headers(scope=scope)
        hosts = [f"127.0.0.1:{self.port}", f"localhost:{self.port}"]
        if headers.get("host") not in hosts:
            return "this server answers to 127.0.0.1 only"
        first = str(scope["path"]).removeprefix("/").split("/")[0]
        if not hmac.compare_digest(first.encode(), self.token.encode()):
            return (
                "the address lacks the token that fairtrial explore printed; open that address, and note that every "
                "start has another one"
            )
        if not _is_own(headers, [f"http://{host}" for host in hosts], changes=scope["method"] not in ("GET", "HEAD")):
            return "requests from other sites are refused"
        return ""


def _is_own(headers: Headers, origins: Iterable[str], *, changes: bool) -> bool:
    """Check whether a request is from a page of ours or typed by the user; one that changes something must say so."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is None:
        return not changes and site in (None, "none", "same-origin")
    return origin in origins and site in (None, "same-origin")
