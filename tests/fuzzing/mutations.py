"""Ways to damage the bytes of a file, each from dice of its own seed."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable

import pyarrow as pa

Files = dict[str, bytes]
"""The files of one set of trials, by name, uncompressed."""

COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, 1, mtime=0),
    "zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}
PIECES = (
    b"nan", b"inf", b"-inf", b"1e999", b"+1", b"0x1p3", b"1_0", b"nan(x)", b"''", b'"', b'""', b"#", b"# note\n",
    b",", b";", b" ", b"  ", b"\t", b"\n", b"\n\n", b"\r", b"\x0b", b"\x0c", b"\x1c", b"\xc2\xa0", b"\xc2\x85",
    b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xd9\xa3", b"\\", b"{}", b"%s", b"0", b"1", b"target",
)  # fmt: skip


def _place(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def _insert(rng: random.Random, data: bytes, piece: bytes) -> bytes:
    at = _place(rng, data)
    return data[:at] + piece + data[at:]


def _chunk(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = _place(rng, data)
    return start, min(len(data), start + rng.choice([1, 2, 5, 20, 200]))


def flip(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 3, 10]) if data else 0):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def delete(rng: random.Random, data: bytes) -> bytes:
    start, stop = _chunk(rng, data)
    return data[:start] + data[stop:]


def insert(rng: random.Random, data: bytes) -> bytes:
    return _insert(rng, data, rng.randbytes(rng.choice([1, 4, 50])))


def insert_piece(rng: random.Random, data: bytes) -> bytes:
    return _insert(rng, data, rng.choice(PIECES))


def begin_with_piece(rng: random.Random, data: bytes) -> bytes:
    return rng.choice(PIECES) + data


def duplicate(rng: random.Random, data: bytes) -> bytes:
    start, stop = _chunk(rng, data)
    return data[:stop] + data[start:stop] + data[stop:]


def truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: _place(rng, data)]


def swap_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def drop_line(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def repeat_line(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"\n".join(lines)


def letters_for_digits(rng: random.Random, data: bytes) -> bytes:
    share = rng.choice([0.002, 0.05, 1.0])
    return bytes(rng.choice(b"abcxeE-.") if 48 <= byte < 58 and rng.random() < share else byte for byte in data)


def nul(rng: random.Random, data: bytes) -> bytes:
    return _insert(rng, data, b"\x00" * rng.choice([1, 3, 100]))


def invalid_utf8(rng: random.Random, data: bytes) -> bytes:
    return _insert(
        rng, data, rng.choice([b"\xff", b"\xc3", b"\xe9", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80"])
    )


def long_run(rng: random.Random, data: bytes) -> bytes:
    return _insert(
        rng, data, rng.choice([b"a", b"7", b" ", b",", b"\t", b'"', b"\n", b"x "]) * rng.choice([300, 5000, 140_000])
    )


def windows_line_ends(rng: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def old_mac_line_ends(rng: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", b"\r")


MUTATIONS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    flip, delete, insert, insert_piece, begin_with_piece, duplicate, truncate, swap_lines, drop_line, repeat_line,
    letters_for_digits, nul, invalid_utf8, long_run, windows_line_ends, old_mac_line_ends,
)  # fmt: skip


def damage(files: Files, seed: str, compression: str | None = None) -> tuple[Files, str, random.Random]:
    """The files with one of them damaged, before or after compression; what was done to it; the dice for more."""
    rng = random.Random(seed)
    victim = rng.choice(sorted(files))
    mutations = rng.choices(MUTATIONS, k=rng.choice([1, 1, 2, 3]))
    after = compression is not None and rng.random() < 0.4
    damaged: Files = {}
    for name, data in files.items():
        for mutate in mutations if name == victim and not after else ():
            data = mutate(rng, data)
        if compression is not None:
            data = COMPRESSED[compression](data)
        for mutate in mutations if name == victim and after else ():
            data = mutate(rng, data)
        damaged[name if compression is None else f"{name}.{compression}"] = data
    done = ", ".join(mutate.__name__ for mutate in mutations)
    return damaged, f"{done} in {victim}{' after compression' if after else ''}", rng
