"""Files are written whole or not at all, whatever fails and whoever else writes."""

from __future__ import annotations

import errno
import gc
import gzip
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairtrial import OutputError, ParameterError, open_trials, read_trials, write_tables
from fairtrial.core.errors import InputError
from fairtrial.formats.files import check_place, read_head, write_whole
from fairtrial.formats.read import expected_memory


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_permissions_of_an_existing_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    for mode in (0o600, 0o664, 0o755, 0o246):
        path.chmod(mode)
        with write_whole(path) as place:
            assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0  # nobody else reads it before it is there
            place.write_text(f"{mode}")
        assert (stat.S_IMODE(path.stat().st_mode), path.read_text()) == (mode, f"{mode}")


def test_a_new_file_has_the_permissions_that_open_gives(tmp_path: Path) -> None:
    (tmp_path / "known").touch()
    with write_whole(tmp_path / "new") as place:
        place.write_text("x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "known").stat().st_mode


def test_a_write_protected_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o444)
    for refuse in (lambda: check_place(path), lambda: write_whole(path).__enter__()):
        with pytest.raises(OutputError, match="a: is write-protected; name another file, or allow writing"):
            refuse()
    assert (path.read_text(), names(tmp_path)) == ("old", ["a"])


def test_a_file_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with write_whole(tmp_path / "link") as place:
        place.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_what_was_written_is_on_the_disk_before_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done: list[tuple[str, str, int]] = []

    def fsync(file: int) -> None:
        kind = "directory" if stat.S_ISDIR(os.fstat(file).st_mode) else "file"
        done.append(("fsync", kind, 0 if kind == "directory" else os.fstat(file).st_size))

    def replace(place: Path, target: Path) -> None:
        done.append(("replace", "file", place.stat().st_size))
        place.rename(target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    with write_whole(tmp_path / "a") as place:
        place.write_text("12345")
    assert done == [("fsync", "file", 5), ("replace", "file", 5), ("fsync", "directory", 0)]


def test_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".a.4711-140737.part").write_bytes(bytes(1000))
    with write_whole(tmp_path / "a") as place:
        place.write_text("x")
    assert names(tmp_path) == ["a"]


def test_two_writers_of_one_file(tmp_path: Path) -> None:
    with write_whole(tmp_path / "a") as first, write_whole(tmp_path / "a") as second:
        first.write_text("first " * 1000)
        second.write_text("second")
    assert (tmp_path / "a").read_text() == "first " * 1000
    assert names(tmp_path) == ["a"]


def test_a_name_as_long_as_a_name_may_be(tmp_path: Path) -> None:
    for name in ("x" * 255, "ü" * 127):
        with write_whole(tmp_path / name) as place:
            place.write_text("x")
        assert (tmp_path / name).read_text() == "x"
    assert len(names(tmp_path)) == 2


def test_an_error_of_ours_is_not_renamed(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"^as it is$"), write_whole(tmp_path / "a"):
        raise ParameterError("as it is")
    assert names(tmp_path) == []


CALLS = ("open", "fsync", "replace", "close", "stat", "scandir", "unlink", "chmod", "chown", "write")


def failing_at(number: int, monkeypatch: pytest.MonkeyPatch, error: int) -> Callable[[], int]:
    """Let the n-th call of the operating system fail; how many there were is told."""
    calls = 0

    def wrap(real: Any) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == number:
                raise OSError(error, os.strerror(error))
            return real(*given, **more)

        return call

    for name in CALLS:
        monkeypatch.setattr(os, name, wrap(getattr(os, name)))
    return lambda: calls


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS])
@pytest.mark.parametrize("old", [None, "old"])
def test_any_call_may_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: int, old: str | None) -> None:
    path = tmp_path / "a"
    seen, number = set(), 0
    while True:
        number += 1
        path.unlink(missing_ok=True)
        for leftover in tmp_path.iterdir():
            leftover.unlink()
        if old is not None:
            path.write_text(old)
        with monkeypatch.context() as patch:
            count = failing_at(number, patch, error)
            try:
                with write_whole(path) as place:
                    file = os.open(place, os.O_WRONLY)
                    os.write(file, b"new")
                    os.close(file)
                outcome = "written"
            except OutputError as problem:
                outcome = str(problem)
            failed = count() >= number
        seen.add(outcome.removeprefix(f"{tmp_path}/"))
        found = path.read_text() if path.exists() else None
        assert found == ("new" if outcome == "written" else old)
        if not failed:
            break
    assert outcome == "written"
    assert seen == {"written", f"a: cannot be written: {os.strerror(error)}; nothing was left behind"}
    assert number > 8


@pytest.fixture
def cut_off(tmp_path: Path) -> Path:
    """A file in bob's format whose gzip data ends within a line, far behind its head; only the slow reader reads it."""
    lines = "".join(f"p{k % 90}  p{k % 91}  q{k}  {k * k % 9973}\n" for k in range(20_000)).encode()
    packed = gzip.compress(lines)
    path = tmp_path / "cut.txt.gz"
    path.write_bytes(packed[: len(packed) * 7 // 10])
    return path


def test_a_reader_that_is_given_up_says_nothing_more(cut_off: Path) -> None:
    def lines() -> Iterator[bytes]:
        with read_head(cut_off).open() as stream:
            yield stream.read(100)

    assert len(next(lines())) == 100  # and then nobody holds it any more
    gc.collect()


def test_damage_is_told_rather_than_the_line_it_left_behind(cut_off: Path) -> None:
    for read in (read_trials, lambda path: len(open_trials(path, memory="64MB"))):
        with pytest.raises(InputError, match="gzip data is damaged or cut off"):
            read(cut_off)
        gc.collect()


def test_truncated_files_are_let_go_of(tmp_path: Path) -> None:
    import pyarrow as pa

    rng = np.random.default_rng(1)
    rows = "".join(f"{'genuine' if k % 2 else 'impostor'},{score}\n" for k, score in enumerate(rng.random(300)))
    data = gzip.compress(f"label,face\n{rows}".encode())
    (tmp_path / "cut.csv.gz").write_bytes(data[: len(data) // 2])
    kept = []
    for _ in range(3):
        with pytest.raises(InputError):
            read_trials(tmp_path / "cut.csv.gz")
        kept.append(pa.total_allocated_bytes())
    assert kept[2] == kept[0]


def test_files_are_opened_once_for_their_head_and_once_for_their_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairtrial.formats import files

    opened: list[str] = []
    plain, stream = open, files.open_stream

    def counted(place: Any, *arguments: Any, **options: Any) -> Any:
        opened.append(str(place))
        return plain(place, *arguments, **options)

    def counted_stream(place: Path, *arguments: Any, **options: Any) -> Any:
        opened.append(str(place))
        return stream(place, *arguments, **options)

    monkeypatch.setattr(files, "open", counted, raising=False)
    monkeypatch.setattr(files, "open_stream", counted_stream)
    for rows, times in ((20, 1), (20_000, 2)):
        path = tmp_path / f"{rows}.csv"
        path.write_text("label,face\n" + "".join(f"{k % 2},{k}.5\n" for k in range(rows)))
        opened.clear()
        assert expected_memory([path]) > 0
        assert len(read_trials(path)) == rows
        assert opened == [str(path)] * times


def test_an_open_document_is_a_spreadsheet(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "<x/>")
    with pytest.raises(InputError) as caught:
        read_head(tmp_path / "a.ods")
    assert caught.value.code == "spreadsheet"


def test_results_without_a_table_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="no table to write"):
        write_tables([], tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())
