"""Files of counts whose checksum is right and whose content is not."""

import json
import struct
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import fairtrial as ft
from fairtrial.cli.app import main
from fairtrial.core.errors import InputError, TrialsError
from fairtrial.formats.counter_file import read_part, write_part

FIXED = struct.Struct("<8sHQI")
Change = Callable[[dict[str, Any], dict[str, Any]], None]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    counter = ft.Counter(["face", "voice"], thresholds=[0.25, 0.5])
    people = rng.integers(0, 7, (2, 200)).astype(str)
    counter.update(rng.normal(size=(200, 2)), people[0] == people[1], claim=people[0], subject=people[1])
    counter.update(rng.normal(size=(2, 2)), [True, True], claim=["7", "8"], subject=["x", "y"])  # two links
    counter.save(tmp_path / "good.ftc")
    return tmp_path / "good.ftc"


def rewritten(path: Path, change: Change) -> Path:
    header, arrays = read_part(path)
    change(header, arrays)
    write_part(path.with_name("bad.ftc"), header, arrays)
    return path.with_name("bad.ftc")


def sealed(path: Path, header: bytes, blocks: bytes = b"") -> Path:
    """A file of this header with a right length and a right checksum."""
    content = FIXED.pack(b"\x89FTC\r\n\x1a\n", 1, FIXED.size + len(header) + len(blocks) + 16, len(header))
    content += header + blocks
    path.write_bytes(content + blake2b(content, digest_size=16).digest())
    return path


def put(name: str, index: Any, value: int) -> Change:
    def change(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name][index] = value

    return change


def replaced(name: str, by: Callable[[Any], Any]) -> Change:
    def change(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = by(arrays[name])

    return change


def setting(**settings: Any) -> Change:
    def change(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        header["settings"] |= settings

    return change


CHANGES: dict[str, Change] = {
    "no settings": lambda header, arrays: header.clear(),
    "distances of nobody": setting(distances=[None]),
    "distances a number": setting(distances=1),
    "settings a list": lambda header, arrays: header.update(settings=[]),
    "systems a number": setting(systems=3),
    "systems not texts": setting(systems=[1, 2], thresholds={}),
    "precision a text": setting(precision="high"),
    "precision too large": setting(precision=2),
    "thresholds a number": setting(thresholds={"face": 0.5, "voice": "x"}),
    "other thresholds": setting(thresholds={"face": [0.5], "voice": [0.25, 0.5]}),
    "no totals": lambda header, arrays: arrays.pop("totals"),
    "another array": lambda header, arrays: arrays.update(more=np.zeros(3, np.int64)),
    "negative total": put("totals", 0, -5),
    "other total": put("totals", 0, 150),
    "huge total": put("totals", 0, 2**62),
    "negative level": put("level.0", 0, -1),
    "level too high": put("level.0", 0, 4000),
    "level not of the cells": put("level.0", 0, 2097),
    "starts not rising": replaced("starts.1", lambda starts: starts[::-1].copy()),
    "a start twice": lambda header, arrays: arrays["starts.0"].__setitem__(1, arrays["starts.0"][0]),
    "a start that is NaN": put("starts.0", -1, np.iinfo(np.int64).max),
    "fewer starts": replaced("starts.0", lambda starts: starts[:-1]),
    "negative counts": lambda header, arrays: arrays["counts.0"].__isub__(1),
    "counts that overflow": put("counts.0", (0, 0), 2**62),
    "other counts": put("counts.1", (0, 0), 17),
    "an empty cell": lambda header, arrays: arrays["counts.0"].__setitem__((slice(None), 0), 0),
    "counts of one row": replaced("counts.0", lambda counts: counts[:1]),
    "roles": put("roles", 0, 7),
    "no people": lambda header, arrays: arrays.pop("people"),
    "people's ends": put("people.ends", 1, 1000),
    "people not in order": put("people", 0, ord("~")),
    "people not UTF-8": put("people", 0, 255),
    "people beyond bytes": put("people", 0, 1000),
    "a link to nobody": put("links", (0, 0), 99),
    "a negative link": put("links", (0, 0), -1),
    "links of three": replaced("links", lambda links: np.zeros((2, 3), np.int64)),
    "watched": put("watched.0", (0, 0), 1000),
    "watched of another shape": replaced("watched.0", lambda watched: watched[:, :-1]),
    "claims": lambda header, arrays: arrays["claim.0"].__setitem__((0, 0, 0), arrays["claim.0"][0, 0, 0] + 1),
    "claims moved": lambda header, arrays: arrays.update({"claim.0": np.roll(arrays["claim.0"], 1, axis=2)}),
    "subjects": replaced("subject.1", lambda counts: counts[:, :-1]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_wrong_content_is_refused(saved: Path, change: Change) -> None:
    with pytest.raises(InputError) as caught:
        ft.Counter.load(rewritten(saved, change))
    assert caught.value.code == "counter-content"


def test_right_content_is_read(saved: Path) -> None:
    assert ft.Counter.load(rewritten(saved, lambda header, arrays: None)) == ft.Counter.load(saved)


ENTRY = {"name": "totals", "shape": [2], "kind": "|u1", "raw": 2, "bytes": 0}


@pytest.mark.parametrize(
    "header",
    [
        b"{}",
        b"[]",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"arrays": 3}',
        b'{"arrays": [3]}',
        b'{"arrays": [{}]}',
        *(
            json.dumps({"settings": {}, "arrays": [ENTRY | changed]}).encode()
            for changed in (
                {},  # no block of zstd
                {"shape": [-2, -1]},
                {"shape": [2.0]},
                {"shape": [3]},
                {"shape": 2},
                {"kind": "O"},
                {"kind": "<f8"},
                {"raw": True},
                {"raw": -2},
                {"bytes": 7},
                {"first": "x"},
                {"name": 5},
            )
        ),
    ],
    ids=lambda header: header[:60].decode("latin-1"),
)
def test_wrong_headers_are_refused(tmp_path: Path, header: bytes) -> None:
    path = sealed(tmp_path / "bad.ftc", header)
    with pytest.raises(InputError) as caught:
        ft.Counter.load(path)
    assert caught.value.code == "counter-content"
    result = CliRunner().invoke(main, ["evaluate", "--dev", str(path), "--test", str(path)])
    assert result.exit_code == 2


def test_small_files_do_not_unpack_to_much(tmp_path: Path) -> None:
    import pyarrow as pa

    zeros = pa.Codec("zstd").compress(bytes(1 << 28), asbytes=True)
    entry = {"name": "totals", "shape": [1 << 28], "kind": "|u1", "raw": 1 << 28, "bytes": len(zeros)}
    header = json.dumps({"settings": {}, "arrays": [entry]}).encode()
    path = sealed(tmp_path / "bomb.ftc", header, zeros)
    assert path.stat().st_size < 40_000
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(InputError) as caught:
        read_part(path)
    assert caught.value.code == "counter-content"
    assert pa.default_memory_pool().max_memory() == before


def test_merging_does_not_overflow(tmp_path: Path) -> None:
    counter = ft.Counter()
    counter.update([0.9, 0.2], [True, False])
    counter.save(tmp_path / "good.ftc")

    def swell(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        for name in ("totals", "counts.0"):
            arrays[name] *= 2**52 - 1

    path = rewritten(tmp_path / "good.ftc", swell)
    whole = ft.Counter.load(path)
    with pytest.raises(TrialsError) as caught:
        whole.merge(ft.Counter.load(path))
    assert caught.value.code == "too-many-trials"
    assert len(whole) == 2**53 - 2
    result = CliRunner().invoke(main, ["merge", str(path), str(path), "--out", str(tmp_path / "all.ftc")])
    assert result.exit_code == 2
