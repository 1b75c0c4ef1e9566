"""Find, open, lock and write files: globs, compression, limits of size, files written whole."""

from __future__ import annotations

import fcntl
import glob
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, cached_property
from io import BufferedReader, BytesIO, FileIO, RawIOBase
from pathlib import Path
from time import monotonic, sleep
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias

from fairtrial.core.errors import FairtrialError, InputError, OutputError
from fairtrial.core.words import cut, nearest

if TYPE_CHECKING:
    import pyarrow as pa


_MOST = 8 << 30
_LINE = 32  # minimum number of bytes that a trial takes in memory; a shorter line counts as this many
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def half_of_memory() -> int:
    """Give half of the memory of the machine, or of the container, in bytes."""
    sizes = []
    with suppress(OSError, ValueError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit in _LIMITS:
        with suppress(OSError, ValueError):
            sizes.append(int(Path(limit).read_text()))
    return min((size for size in sizes if size > 0), default=_MOST) // 2


def default_size() -> int:
    """Give the most bytes that a file may unpack to by default: 8 GiB, or half of the memory if that is less."""
    return min(_MOST, half_of_memory())


def check_unpacked(size: int, most: int, path: Path) -> None:
    """Raise an error where a file unpacks to more than it may."""
    if size > most:
        template = (
            "{path}: holds more than {most} unpacked (a line counts as {line} bytes at least); if that is meant and "
            "there is memory for it, allow more, as in {max_size!o}"
        )
        raise InputError(template, path=str(path), most=size_text(most), line=_LINE, max_size=2 * most)


def size_text(size: int) -> str:
    """Write a number of bytes as people say it.

    Examples
    --------
    >>> size_text(8 << 30), size_text(1500)
    ('8 GiB', '1.46 KiB')
    """
    for unit, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << unit:
            return f"{size / (1 << unit):.3g} {name}"
    return f"{size} bytes"


_MOST_ENTRIES = 100_000  # how many files and directories are looked at


def files_matching(pattern: str) -> list[str]:
    """Find the paths that a glob matches, sorted; ``**`` means any number of directories.

    Raises
    ------
    InputError
        A glob that goes through more than 100,000 files and directories.
    """
    seen = 0

    def folders(start: str) -> Iterator[str]:
        """List a directory and all below it, except hidden ones."""
        nonlocal seen
        for folder, below, files in os.walk(start):
            seen += 1 + len(files)
            if seen > _MOST_ENTRIES:
                raise InputError(f"{pattern}: goes through more than {_MOST_ENTRIES:,} entries; name a smaller part")
            below[:] = [name for name in below if not name.startswith(".")]
            yield folder

    def matching(parts: tuple[str, ...]) -> Iterator[str]:
        if "**" not in parts:
            yield from glob.iglob(str(Path(*parts)))
            return
        place = parts.index("**")
        rest = parts[place + 1 :] or ("*",)
        for start in glob.iglob(str(Path(*parts[:place]))) if place else [os.curdir]:
            for folder in folders(start):
                yield from matching((glob.escape(folder), *rest))

    return sorted(set(matching(Path(pattern).parts)))


LockState: TypeAlias = Literal["held", "taken", "unknown"]
"""``held``: the lock is ours now; ``taken``: another holds it; ``unknown``: there are no locks here."""

ATTEMPTS = 5
"""How often a file that another process removed just before it was locked is made again."""
_LONGEST = 180  # bytes of a file's name that the place beside it takes over; a name may have 255 on most file systems


def lock(file: int) -> LockState:
    """Lock an open file, if nobody else has."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "taken"
    except OSError:  # a file system without locks
        return "unknown"
    return "held"


def is_at(file: int, path: Path) -> bool:
    """Tell whether an open file still is the one that a name leads to, so far as can be told."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
    except OSError:
        return True


@contextmanager
def place_beside(target: Path, mode: int) -> Iterator[Path]:
    """Make a new file beside another, and lock it; it is gone afterwards, unless it was renamed.

    Parameters
    ----------
    target
        The file that it may become.
    mode
        The permissions of the new file, before the user's mask.
    """
    held = None
    for _ in range(ATTEMPTS):
        place = target.with_name(f"{_beginning(target)}{os.getpid()}-{secrets.token_hex(4)}.part")
        file = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        state = lock(file)
        if state == "held" and is_at(file, place):
            held = file
            break
        os.close(file)
        if state == "unknown":
            break
        # else another process took it for a leftover before it was locked
    try:
        yield place
    finally:
        with suppress(OSError):  # what is still there, but not locked, is removed the next time
            if held is not None:
                os.close(held)
            place.unlink(missing_ok=True)


def remove_leftovers(target: Path) -> None:
    """Remove what processes that were killed left beside a file; what a living one writes is locked, and stays."""
    leftover = re.compile(re.escape(_beginning(target)) + r"\d+(-\w+)?\.part")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if leftover.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    file = os.open(entry.path, os.O_RDWR | os.O_NOFOLLOW)
                    try:
                        if lock(file) == "held":
                            Path(entry.path).unlink()
                    finally:
                        os.close(file)


def _beginning(target: Path) -> str:
    return f".{os.fsdecode(os.fsencode(target.name)[:_LONGEST])}."


PathLike: TypeAlias = str | os.PathLike[str]
Stream: TypeAlias = "BufferedReader[Any] | BytesIO"
Progress: TypeAlias = Callable[[int], None]
"""Called with the number of bytes read from disk since the last call."""

MAX_LINE = 1 << 24
HEAD = 1 << 16
"""The number of bytes that the format of a file is detected from."""
FIRST_ROWS = 2000
"""Rows by whose cells columns are told."""
_SPACES = re.compile(r"[ \t]+")
_COMPRESSION = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_WORKBOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how files of older spreadsheets begin
# how .xlsx and .ods files begin: with a part that only they have
_ZIPPED_WORKBOOK = re.compile(rb"PK\x03\x04.{26}(\[Content_Types\]|_rels/|docProps/|xl/|mimetypeapp)", re.DOTALL)
COUNTS = ".ftc"
"""The ending of files of counts."""
UNNAMED = "system"
"""What a system is called where nothing names it."""
_SETS = {"dev", "devel", "development", "test", "eval", "evaluation"}


_PATIENCE = 10.0  # seconds until somebody should have begun to write to a pipe
_STANDARD_INPUT = "/dev/stdin"


def is_counts(path: PathLike) -> bool:
    """Tell whether a name is that of a file of counts."""
    return os.fspath(path).lower().endswith(COUNTS)


class _CountedFile(FileIO):
    """A file that reports how much of it was read."""

    def __init__(self, path: Path, progress: Progress | None) -> None:
        super().__init__(path, "rb")
        self._progress = progress

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer) or 0
        if self._progress is not None:
            self._progress(count)
        return count


class _Unpacked(RawIOBase):
    """The bytes that a compressed file unpacks to; an error if there are more than there may be."""

    def __init__(self, stream: pa.NativeFile, head: Head) -> None:
        self._stream = stream
        self._head = head
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # by way of an Arrow buffer: pyarrow's own readinto and read lose memory if they fail (pyarrow up to 26)
        data: bytes = self._stream.read_buffer(len(buffer)).to_pybytes()
        buffer[: len(data)] = data
        self._read += max(len(data), _LINE * data.count(b"\n"))
        if self._head.max_size is not None:
            check_unpacked(self._read, self._head.max_size, self._head.path)
        return len(data)


@dataclass(frozen=True)
class Head:
    """A file and how it begins, decompressed: what a format is told by."""

    path: Path
    """What the file is called."""
    data: bytes
    compression: str | None
    max_size: int | None = None
    """How many bytes it may unpack to; None: any number."""
    copy: IO[bytes] | None = None
    """What a pipe gave, which can be read only once; it is gone when nobody needs it any more."""
    block: bytes | None = None
    """All bytes of a small file, or some lines of a text below its header; None if they are to be read."""
    before: int = 0
    """How many lines of the file come before those of the block, less those of the header."""
    place: str = ""
    """Where in the file a piece of it is, in words; empty for the whole file."""

    @property
    def source(self) -> Path:
        """Where its bytes are."""
        return self.path if self.copy is None else Path(self.copy.name)

    @property
    def origin(self) -> str:
        """What it is called in errors."""
        return f"{self.path}{self.place}"

    @property
    def is_parquet(self) -> bool:
        """Whether it begins as a Parquet file does."""
        return self.data.startswith(b"PAR1")

    @property
    def is_whole(self) -> bool:
        """Whether it stands for the whole file."""
        return not self.place

    @contextmanager
    def open(self, progress: Progress | None = None) -> Iterator[Stream]:
        """Open a stream of the decompressed bytes; errors of the file become an `InputError`."""
        if self.block is not None:
            if progress is not None and self.is_whole:
                progress(self.source.stat().st_size)
            yield BytesIO(self.block)
            return
        try:
            with BufferedReader(_CountedFile(self.source, progress), 1 << 20) as raw:
                if self.compression is None:
                    yield raw
                    return
                import pyarrow as pa

                with pa.CompressedInputStream(raw, self.compression) as stream:
                    yield BufferedReader(_Unpacked(stream, self), 1 << 16)
        except OSError as error:
            if self.compression is not None and error.errno is None:
                raise InputError(
                    f"{self.path}: the {self.compression} data is damaged or cut off ({error}); get the file again"
                ) from error
            raise InputError(f"{self.path}: cannot be read: {_why(error)}") from error

    @cached_property
    def _whole_lines(self) -> list[str]:
        text = self.data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        lines = text.split("\n")
        if len(self.data) >= HEAD and len(lines) > 1:
            lines.pop()  # cut off by the end of the head
        return lines

    def lines(self, count: int, *, header: bool = False) -> list[str]:
        """Give the first whole lines that are neither blank nor comments; below a header nothing is a comment."""
        filled, bare = self._filled_lines
        return filled[:count] if header and bare else bare[:count]

    @cached_property
    def _filled_lines(self) -> tuple[list[str], list[str]]:
        """The whole lines that are not blank, from the first that is no comment, and those without comments."""
        filled = [line for line in self._whole_lines[self.first_line :] if line.strip(" \t")]
        return filled, [line for line in filled if not line.lstrip(" ").startswith("#")]

    def fields(self, count: int) -> list[list[str]]:
        """Give the first lines that are neither blank nor comments, split at white space; none of binary data."""
        return [split_spaces(line) for line in self.lines(count)] if self.is_text else []

    @cached_property
    def rows(self) -> tuple[str, list[list[str]]]:
        """What separates the columns of a text without a header, and its first rows; no row if their widths differ."""
        by_spaces = self.fields(FIRST_ROWS)
        lines = self.lines(FIRST_ROWS) if by_spaces else []
        uniform = len({len(row) for row in by_spaces}) == 1
        for delimiter in "\t,;" if lines else "":
            if delimiter not in lines[0] or (delimiter == "\t" and b" " in self.data and uniform):
                continue
            rows = [[cell.strip(" ") for cell in line.split(delimiter)] for line in lines]
            # a comma between whole numbers may be a decimal point
            names = len(by_spaces[0]) == 1 and any(cell[:1].isalpha() for cell in rows[0])
            is_sure = delimiter == "\t" or names or any("." in cell for cell in rows[0])
            if is_sure and len({len(row) for row in rows}) == 1:
                return delimiter, rows
        return " ", by_spaces if uniform else []

    @cached_property
    def first_line(self) -> int:
        """How many lines come before the first trial or the header: blank ones, comments and a row of counts."""
        numbered = enumerate(self._whole_lines)
        filled = (k for k, line in numbered if line.strip(" \t") and not line.lstrip(" ").startswith("#"))
        first = next(filled, 0)
        second = next(filled, first) if self.before == 0 else first
        counts, cells = (self._whole_lines[k].split() for k in (first, second))
        # three and more numbers may be ids along the top of a matrix, unless text is below them
        fewer = 0 < len(counts) < min(len(cells), 3 if not any(cell[0].isalpha() for cell in cells[1:]) else 5)
        return second if fewer and len(cells) > 2 and all(cell.isdecimal() for cell in counts) else first

    @property
    def comments(self) -> int:
        """How many comments come first."""
        return sum(line.lstrip(" ").startswith("#") for line in self._whole_lines[: self.first_line])

    @property
    def has_counts(self) -> bool:
        """Whether a row of counts comes before the first trial."""
        return any(
            line.strip(" \t#")[:1].isdigit() and "#" not in line for line in self._whole_lines[: self.first_line]
        )

    @property
    def is_text(self) -> bool:
        """Whether it looks like text."""
        return b"\x00" not in self.data[:HEAD]

    @property
    def stem(self) -> str:
        """The file's name without its endings."""
        return self.path.name.split(".")[0] or self.path.name


def split_spaces(line: str) -> list[str]:
    """Split a line into its fields, separated by spaces and tabs and by nothing else."""
    line = line.strip(" \t\r\n")
    return _SPACES.split(line) if "\t" in line or "  " in line else line.split(" ")


def expand(paths: PathLike | Sequence[PathLike]) -> list[Path]:
    """Find the files meant by a file, a glob, or several of them; a directory stays a directory."""
    files: list[Path] = []
    for entry in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        if not os.fspath(entry):
            raise InputError("the name of a file is empty; is a variable of your shell not set?")
        path = _meant(entry)
        with _readable(entry):
            exists = path.exists()
            matches = [] if exists else files_matching(os.fspath(entry))
            if not exists and not matches:
                raise FileNotFoundError
        files.extend([path] if exists else map(Path, matches))
    if not files:
        raise InputError("no file was named")
    if files.count(Path(_STANDARD_INPUT)) > 1:
        raise InputError("standard input can be read only once; write it to a file first")
    return files


@contextmanager
def _readable(path: PathLike) -> Iterator[None]:
    """Turn an error of the system into one that names the file."""
    try:
        yield
    except FileNotFoundError as error:
        names: list[str] = []
        with suppress(OSError):
            names = [sibling.name for sibling in Path(path).parent.iterdir()]
        names.sort(key=lambda name: (Path(name).suffix == Path(path).suffix, name))  # the last of equal ones counts
        meant = nearest(Path(path).name, names, lambda name: name.partition(".")[0])
        raise InputError(f"{path}: there is no such file{meant}") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{cut(os.fspath(path), 200)}: cannot be read: {_why(error)}") from error


def _meant(path: PathLike) -> Path:
    """Give a file by its name; a dash is standard input."""
    return Path(_STANDARD_INPUT if os.fspath(path) == "-" else path)


def list_directory(path: Path) -> list[Path]:
    """List the files of a directory in the order of their names, hidden ones left out."""
    with _readable(path):
        return sorted(entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith("."))


def read_head(path: PathLike, max_size: int | None = None) -> Head:
    """Read the first lines of a file or a pipe, decompressed.

    Parameters
    ----------
    path
        The file; a dash is standard input.
    max_size
        How many bytes it may unpack to; `default_size` if nothing is said.
    """
    path, most, copy = _meant(path), default_size() if max_size is None else max_size, None
    with _readable(path):
        mode = path.stat().st_mode
        if stat.S_ISFIFO(mode):
            copy = _copied(path, most)
        elif stat.S_ISDIR(mode):
            raise InputError(f"{path}: is a directory; name a file in it, or a directory of Parquet files")
        elif not stat.S_ISREG(mode):
            raise InputError(f"{path}: is neither a file nor a pipe; write the scores to a file, and name that")
        with open(path if copy is None else copy.name, "rb") as file:
            data = file.read(HEAD)
            compression = next((name for start, name in _COMPRESSION.items() if data.startswith(start)), None)
            if compression is None and data.count(b"\n") < 3:
                data += file.read(MAX_LINE)  # the first lines of a large matrix are long
    head = Head(path, b"", compression, most, copy)
    if compression is not None:
        with head.open() as stream:
            data = stream.read(HEAD)
            if data.count(b"\n") < 3:
                data += stream.read(MAX_LINE)
    if not data:
        raise InputError(f"{path}: is empty")
    if is_counts(path):
        raise InputError(
            "{path}: is a file of counts, not of trials; evaluate, compare, epc and merge take it (in Python, read it "
            "with Counter.load)",
            code="counts",
            path=str(path),
        )
    if data.startswith(_WORKBOOK) or _ZIPPED_WORKBOOK.match(data):
        raise InputError(
            "{path}: is a spreadsheet; save the sheet as CSV, or hand over the data frame that pandas.read_excel gives",
            code="spreadsheet",
            path=str(path),
        )
    # UTF-16 says so, or has ASCII with a NUL before or after each letter
    halves = (data[:64:2], data[1:64:2])
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if marked or (len(data) > 7 and any(not any(nuls) and all(text) for nuls, text in (halves, halves[::-1]))):
        raise InputError(f"{path}: is UTF-16 text; save it as UTF-8, as in iconv -f UTF-16 -t UTF-8 OLD > NEW")
    if not data.strip():
        raise InputError(f"{path}: holds nothing but white space")
    if len(data) >= MAX_LINE and b"\n" not in data and b"\r" not in data:
        raise InputError(f"{path}: line 1 is longer than {MAX_LINE >> 20} MiB; a score file has one line per trial")
    return replace(head, data=data, block=data if len(data) < HEAD else None)


def _copied(path: Path, most: int) -> IO[bytes]:
    """Copy all that a pipe gives to a file that can be read more than once; nothing if nobody writes to it in time."""
    copy = tempfile.NamedTemporaryFile(prefix="fairtrial-")  # noqa: SIM115 - closed when the last head of it is gone
    size, data = 0, b""
    end = monotonic() + (0 if path.is_relative_to("/dev") else _PATIENCE)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as pipe:
        try:
            while not (data := os.read(pipe.fileno(), 1 << 16)) and monotonic() < end:
                sleep(0.02)
        except BlockingIOError:  # somebody is there, who has written nothing yet
            pass
        os.set_blocking(pipe.fileno(), True)
        data = data or os.read(pipe.fileno(), 1 << 16)
        while data:
            size += len(data)
            check_unpacked(size, most, path)
            copy.write(data)
            data = pipe.read(1 << 20)
    copy.flush()
    return copy


def read_whole(path: PathLike, most: int = 1 << 30) -> bytes:
    """Read the bytes of a file that is small by its nature, such as a manifest or a model.

    Raises
    ------
    InputError
        Something that is not a file, or has more bytes than that.
    """
    with _readable(path):
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path}: cannot be read: it is not a file")
        if status.st_size > most:
            raise InputError(f"{path}: has more than {size_text(most)}, which such a file never has; name another")
        return Path(path).read_bytes()


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def system_name(path: Path) -> str:
    """Give a system's name where only the file can tell: its name without endings and words like dev and test."""
    name = os.fsencode(path.name).decode(errors="replace")
    first, *between = name.removesuffix(".gz").removesuffix(".zst").split(".")
    for part in (first or name, *between[:-1]):
        words = part.replace("_", "-").split("-")
        kept = [word for word in words if word.lower() not in _SETS]
        if kept:
            return part if len(kept) == len(words) else "-".join(kept)
    return UNNAMED


_TOGETHER: ContextVar[ExitStack | None] = ContextVar("together", default=None)


@contextmanager
def write_together() -> Iterator[None]:
    """Let files written whole within the block take their places at its end: all of them, or none after an error."""
    with ExitStack() as stack:
        token = _TOGETHER.set(stack)
        try:
            yield
        finally:
            _TOGETHER.reset(token)


@contextmanager
def write_whole(path: PathLike) -> Iterator[Path]:
    """Give a place to write to that becomes `path` when all went well; within `write_together`, at its end."""
    stack = _TOGETHER.get()
    if stack is None:
        with _write_whole(path) as place:
            yield place
    else:
        yield stack.enter_context(_write_whole(path))


@contextmanager
def _write_whole(path: PathLike) -> Iterator[Path]:
    """Give a place to write to that becomes `path` when all went well, and leaves nothing when not.

    What was written is on the disk before it takes the place of an older file, whose permissions it keeps. What
    processes that were killed left of earlier attempts is removed.
    """
    try:
        target = Path(os.path.realpath(path))  # through a link, not over it
        existing = target.stat() if target.exists() else None
        if existing is not None:
            _check_replaceable(path, existing.st_mode)
        remove_leftovers(target)
        with place_beside(target, 0o666 if existing is None else 0o600) as place:
            yield place
            _sync(place, os.O_RDWR)
            if existing is not None:
                with suppress(OSError):  # only the superuser can give a file away
                    os.chown(place, existing.st_uid, existing.st_gid)
                place.chmod(stat.S_IMODE(existing.st_mode))
            os.replace(place, target)
            with suppress(OSError):  # a directory cannot be asked everywhere
                _sync(target.parent, os.O_RDONLY)
    except FairtrialError:
        raise
    except (OSError, ValueError) as error:
        raise OutputError(f"{path}: cannot be written: {_why(error)}; nothing was left behind") from error


def check_place(path: PathLike) -> None:
    """Raise an error before any work where a file could not be written."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise OutputError(f"{path}: there is no directory {folder} to write to")
    if os.path.exists(path):
        _check_replaceable(path, Path(path).stat().st_mode)


def _check_replaceable(path: PathLike, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path}: is a directory; name a file to write")
    if not stat.S_ISREG(mode):
        raise OutputError(f"{path}: is not a regular file; name a file to write")
    if not mode & 0o222:
        raise OutputError(f"{path}: is write-protected; name another file, or allow writing with chmod u+w")


def _sync(path: Path, flags: int) -> None:
    """Wait until a file, or the names in a directory, are on the disk."""
    file = os.open(path, flags)
    try:
        os.fsync(file)
    finally:
        os.close(file)
