"""Globs, against those of Python where these end."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import pytest

from fairtrial.core.errors import InputError
from fairtrial.formats import files as globs
from fairtrial.formats.files import files_matching

PATTERNS = ["**/*.csv", "a/**/*.csv", "a/**", "**/b/**/*.csv", "*/c.csv", "a*/**/c?.csv", "a[1]/**/*.csv", "none/**/*"]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files in directories with odd names, and hidden ones."""
    for name in ("c.csv", "a/c.csv", "a/b/c1.csv", "a/b/d/c2.csv", "a[1]/b/c.csv", ".hidden/c.csv", "a/.hidden/c.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_files_that_python_finds(tree: Path, pattern: str) -> None:
    expected = {os.path.normpath(path) for path in glob.glob(pattern, recursive=True)} - {"a"}
    assert {path for path in files_matching(pattern) if path != "a"} == expected
    above = {str(tree / path) for path in expected}
    whole = files_matching(str(Path(glob.escape(str(tree))) / pattern))
    assert {path for path in whole if path != str(tree / "a")} == above


def test_links_are_not_followed_for_ever(tree: Path) -> None:
    (tree / "a" / "round").symlink_to(tree)
    assert files_matching("a/**/c.csv") == ["a/c.csv"]


def test_a_walk_that_is_too_long(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(globs, "_MOST_ENTRIES", 5)
    with pytest.raises(InputError, match=r"\*\*/\*\.csv: goes through more than 5 entries"):
        files_matching("**/*.csv")
