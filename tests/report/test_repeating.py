"""What it takes to do the same again."""

import hashlib
from pathlib import Path

import pytest

from fairtrial import __version__
from fairtrial.report.repeating import repeat_of


def test_files_are_known_again_by_their_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    place = tmp_path / "scores.csv"
    place.write_bytes(b"label,face\n")
    found = repeat_of("fairtrial evaluate --dev scores.csv", [str(place)], 3)
    assert (found.command, found.seed, found.versions["fairtrial"]) == (
        "fairtrial evaluate --dev scores.csv",
        3,
        __version__,
    )
    assert [(own.name, own.size, own.sha256) for own in found.inputs] == [
        (str(place), 11, hashlib.sha256(b"label,face\n").hexdigest())
    ]
    assert str(found.made) == "1970-01-01"
