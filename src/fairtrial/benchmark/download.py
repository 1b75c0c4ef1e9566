"""Files from a server: not larger than they could be, not for ever, and only with the content that is pinned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import IO, Any

from fairtrial.errors import InputError, cut
from fairtrial.formats.budget import size_text

_MOST = 256 << 20
"""Bytes of a file of scores; the largest known one has 20 MB."""
_SILENCE = 30
"""Seconds that a server may be silent."""
_PATIENCE = 1800.0
"""Seconds that one file may take."""


def fetch(address: str, sha256: str, folder: Path, *, instead: str) -> Path:
    """A file from the cache, or downloaded into it; with the wrong content it is not kept.

    Parameters
    ----------
    address
        Where it is; its last part is the name of the file. A password in it is never shown.
    sha256
        Of its content.
    folder
        Where it is kept.
    instead
        What else can be done, for errors.

    Raises
    ------
    InputError
        A server that does not answer, or gives something else.
    """
    import pooch

    name = without_password(address)
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")
    try:
        return Path(
            pooch.retrieve(
                address, f"sha256:{sha256}", fname=address.rpartition("/")[2], path=folder, downloader=_downloader(name)
            )
        )
    except OSError as error:
        raise InputError(f"{name}: cannot be downloaded: {_why(error)}; {instead}") from error
    except ValueError as error:
        raise InputError(
            f"{name}: is not the file that it should be: its SHA-256 is not {sha256}; nothing was kept; {instead}"
        ) from error
    finally:
        logger.setLevel(level)


def without_password(address: str) -> str:
    """An address as it may be shown: without the name and password of a user.

    Examples
    --------
    >>> without_password("https://me:secret@example.org/scores")
    'https://example.org/scores'
    """
    scheme, separator, rest = address.rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"


def _downloader(name: str) -> Callable[[str, str, Any], None]:
    import pooch

    def work(address: str, place: str, manager: Any) -> None:
        with open(place, "wb") as file:
            pooch.HTTPDownloader(timeout=_SILENCE, chunk_size=1 << 16)(address, _BoundedFile(file, name), manager)

    return work


class _BoundedFile:
    """A file that takes so many bytes, for so long."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name
        self._left = _MOST
        self._end = monotonic() + _PATIENCE

    def write(self, data: bytes) -> None:
        """Write, or raise an error."""
        self._left -= len(data)
        if self._left < 0:
            raise InputError(
                f"{self._name}: is larger than {size_text(_MOST)}, so it is not the file; nothing was kept"
            )
        if monotonic() > self._end:
            raise InputError(f"{self._name}: takes longer than {_PATIENCE / 60:.0f} minutes; nothing was kept")
        self._file.write(data)

    def flush(self) -> None:
        """Write what is still held back."""
        self._file.flush()


def _why(error: OSError) -> str:
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answers {response.status_code} {response.reason}"
    if hasattr(error, "request"):  # an error of the network, whose text is long and technical
        return f"the connection failed ({type(error).__name__})"
    return error.strerror or cut(error, 100)
