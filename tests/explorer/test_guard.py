"""Who may ask."""

import http.client
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from fairtrial.explorer.app import served


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served([]) as address:
        yield address


def status(address: str, method: str = "GET", path: str | None = None, host: str | None = None, **headers: str) -> int:
    parts = urlsplit(address)
    link = http.client.HTTPConnection(parts.netloc, timeout=30)
    link.putrequest(method, parts.path if path is None else path, skip_host=True)
    link.putheader("Host", parts.netloc if host is None else host)
    for name, value in headers.items():
        link.putheader(name.replace("_", "-"), value)
    link.endheaders()
    code = link.getresponse().status
    link.close()
    return code


def origin_of(address: str) -> str:
    return f"http://{urlsplit(address).netloc}"


def test_the_address_that_was_printed_is_answered(address: str) -> None:
    assert status(address) == 303
    assert status(address, Sec_Fetch_Site="none") == 303
    assert status(address, host=f"localhost:{urlsplit(address).port}") == 303


@pytest.mark.parametrize("path", ["/", "/wrong/", "/static/main.js", "//", "/../", "/%2e%2e/", "*", "wrong"])
def test_without_the_token_nothing_is_answered(address: str, path: str) -> None:
    assert status(address, path=path) == 403
    assert status(address, path=urlsplit(address).path[:-3] + "xx/") == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "", "127.0.0.1:1"])
def test_other_names_of_this_machine_are_not_answered(address: str, host: str) -> None:
    """A name that a foreign site lets point here, so that its pages may read the answers."""
    assert status(address, host=host) == 403


def test_other_sites_are_refused(address: str) -> None:
    session = urlsplit(address).path + "any/api/ask"
    assert status(address, "POST", session) == 403
    assert status(address, "POST", session, Origin="http://evil.example") == 403
    assert status(address, "POST", session, Origin="null") == 403
    assert status(address, "POST", session, Origin=origin_of(address), Sec_Fetch_Site="cross-site") == 403
    assert status(address, "GET", session, Sec_Fetch_Site="cross-site") == 403
    assert status(address, "GET", session, Origin="http://evil.example") == 403
    assert status(address, "POST", session, Origin=origin_of(address), Sec_Fetch_Site="same-origin") == 410
