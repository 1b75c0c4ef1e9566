"""The files that a browser may look into."""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from explorer.opened import write_sets
from fairtrial import InputError, ParameterError
from fairtrial.explorer import files as module
from fairtrial.explorer.files import Folder, OpenFile, OpenFiles

ROWS = b"label,face\n1,0.9\n0,0.2\n"


async def pieces(content: bytes = ROWS, size: int = 8) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        await asyncio.sleep(0)
        yield content[start : start + size]


def drop(files: OpenFiles, name: str, content: bytes = ROWS) -> OpenFile:
    return asyncio.run(files.receive(name, pieces(content)))


def test_files_of_the_command_line_are_opened_in_place(tmp_path: Path) -> None:
    paths = write_sets(tmp_path)
    files = list(OpenFiles(map(Path, paths)))
    assert [file.typed for file in files] == paths
    assert [file.dropped for file in files] == [False, False]
    assert [file.glance.format for file in files] == ["csv", "csv"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("dev.csv", "dev.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\scores\\dev.csv", "dev.csv"),
        ("..", "scores"),
        (".hidden", "hidden"),
        ("a\x00b\nc.csv", "a_b_c.csv"),
        ("", "scores"),
        ("ü" * 500 + ".csv", "ü" * 98 + ".csv"),
        ("x" * 500, "x" * 200),
    ],
)
def test_dropped_names_are_only_names(given: str, kept: str, tmp_path: Path) -> None:
    files = OpenFiles(folder=tmp_path / "session")
    file = drop(files, given)
    assert file.name == kept
    assert file.path.is_relative_to(tmp_path / "session")
    files.remove(file.key)
    assert not file.path.exists()
    files.close()
    assert not (tmp_path / "session").exists()


def test_what_is_not_open_cannot_be_asked_for() -> None:
    with pytest.raises(ParameterError, match="not open any more"):
        OpenFiles()["../dev.csv"]


def test_number_of_files_and_bytes_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "MAX_FILES", 2)
    monkeypatch.setattr(module, "MAX_UPLOADED", 100)
    files = OpenFiles(folder=tmp_path)
    for _ in range(2):
        drop(files, "scores.csv")
    assert files.room == 100 - 2 * len(ROWS)
    with pytest.raises(InputError, match="2 files are open"):
        drop(files, "scores.csv")


def test_overlapping_uploads_are_all_kept(tmp_path: Path) -> None:
    files = OpenFiles(folder=tmp_path)

    async def ten() -> list[OpenFile]:
        return list(await asyncio.gather(*(files.receive(f"{k}.csv", pieces()) for k in range(10))))

    received = asyncio.run(ten())
    assert len({file.key for file in received}) == 10
    assert sorted(file.name for file in files) == [f"{k}.csv" for k in range(10)]
    for file in received:
        files.remove(file.key)
    assert not [place for place in tmp_path.rglob("*") if place.is_file()]


def test_overlapping_uploads_keep_the_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "MAX_UPLOADED", 100)
    files = OpenFiles(folder=tmp_path)

    async def ten() -> list[OpenFile | BaseException]:
        given = (files.receive(f"{k}.csv", pieces(b"0" * 30)) for k in range(10))
        return list(await asyncio.gather(*given, return_exceptions=True))

    received = asyncio.run(ten())
    assert all(isinstance(each, OpenFile | InputError) for each in received)
    assert sum(place.stat().st_size for place in tmp_path.rglob("*.csv")) <= 100
    assert len(list(files)) == len(list(tmp_path.rglob("*.csv")))


def test_a_changed_file_is_looked_into_again_and_a_deleted_one_says_so(tmp_path: Path) -> None:
    path = tmp_path / "dev.csv"
    path.write_bytes(ROWS)
    files = OpenFiles([path])
    assert [column.name for column in files["f1"].glance.columns] == ["label", "face"]
    path.write_bytes(ROWS.replace(b"face", b"voice"))
    assert [column.name for column in files["f1"].glance.columns] == ["label", "voice"]
    path.unlink()
    assert "no such file" in files["f1"].glance.trouble


def test_errors_name_dropped_files_as_people_know_them(tmp_path: Path) -> None:
    files = OpenFiles(folder=tmp_path / "session")
    text = f"{drop(files, 'dev.csv').path}, line 3: is bad; {tmp_path}/other.csv is not"
    assert files.without_folder(text) == f"dev.csv, line 3: is bad; {tmp_path}/other.csv is not"


@pytest.mark.skipif(sys.platform == "win32", reason="no locks")
def test_folders_of_a_killed_explorer_are_deleted_by_the_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    script = (
        "import os, tempfile; tempfile.tempdir = " + repr(str(tmp_path)) + "\n"
        "from fairtrial.explorer.files import Folder\n"
        "print(Folder().path, flush=True); os.kill(os.getpid(), 9)"
    )
    killed = Path(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip())
    assert killed.exists()
    alive = Folder()
    assert not killed.exists()
    other = Folder()
    assert alive.path.exists()
    alive.close()
    other.close()
    assert list(tmp_path.iterdir()) == []
