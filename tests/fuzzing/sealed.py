"""Files of counts and models with right checksums over wrong content: each is used, or refused."""

from __future__ import annotations

import hashlib
import json
import random
import struct
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import fairtrial as ft
from fairtrial.calibration import Calibration, fit_calibration
from fairtrial.core.trials import Trials
from fairtrial.fusion import FusionModel, fuse
from fuzzing.cases import Case, Target
from fuzzing.mutations import MUTATIONS

_FIXED = struct.Struct("<8sHQI")
_NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 7, 2**31, 2**53, 2**63 - 1, -(2**63), 2**64, 10**309, 0.5, 1e308, float("nan"), True, None, "", "x",
    [], {},
)  # fmt: skip


@cache
def _trials() -> Trials:
    rng = np.random.default_rng(5)
    genuine = rng.random(60) < 0.4
    people = rng.integers(0, 6, (2, 60))
    people[1, genuine] = people[0, genuine]
    people[1, ~genuine] = (people[0, ~genuine] + 1) % 6
    scores = rng.normal(size=(60, 2)) + genuine[:, None]
    claim, subject = (row.astype(str) for row in people)
    return Trials.from_arrays(scores, genuine, systems=["face", "voice"], claim=claim, subject=subject)


@cache
def _samples() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, thresholds in (("plain", None), ("watched", [0.0, 0.5])):
            counter = ft.Counter(["face", "voice"], thresholds=thresholds)
            counter.update(_trials())
            counter.save(place / f"{name}.ftc")
        fit_calibration(_trials(), systems=["face"]).save(place / "calibration.json")
        fit_calibration(_trials(), systems=["face"], method="pav").save(place / "pav.json")
        fuse(_trials(), _trials(), fusion="logistic").model.save(place / "fusion.json")
        return {path.name: path.read_bytes() for path in sorted(place.iterdir())}


def _spots(value: Any) -> list[tuple[Any, Any]]:
    """All containers within a value, with a key or index of each of their entries."""
    entries = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    return [(value, key) for key, _ in entries] + [spot for _, entry in entries for spot in _spots(entry)]


def _changed(content: Any, rng: random.Random) -> str:
    """Change one entry somewhere, and say which."""
    container, key = rng.choice(_spots(content))
    old = container[key]
    if rng.random() < 0.2:
        del container[key]
        return f"without {key}"
    if isinstance(old, int | float) and rng.random() < 0.4:
        container[key] = rng.choice([old + 1, -old, old * 2, old / 3])
    else:
        container[key] = rng.choice(_NUMBERS)
    return f"{key} = {container[key]!r:.40}"


def make_sealed(seed: str) -> Case:
    """A file of counts or a model, changed and sealed again."""
    rng = random.Random(seed)
    name = rng.choice(sorted(_samples()))
    data = _samples()[name]
    if name.endswith(".json"):
        content = json.loads(data)
        del content["sha256"]
        done = _changed(content, rng)
        seal = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        text = json.dumps({**content, "sha256": seal})
        return Case({name: text.encode()}, (), f"{name}: {done}")
    magic, version, _, length = _FIXED.unpack_from(data)
    header, blocks = json.loads(data[_FIXED.size : _FIXED.size + length]), data[_FIXED.size + length : -16]
    if rng.random() < 0.5:
        done = _changed(header, rng)
    else:
        entry = rng.choice(header["arrays"])
        start = sum(other["bytes"] for other in header["arrays"][: header["arrays"].index(entry)])
        block = blocks[start : start + entry["bytes"]]
        raw = pa.Codec("zstd").decompress(block, decompressed_size=entry["raw"], asbytes=True)
        mutate = rng.choice(MUTATIONS[:6])
        packed = pa.Codec("zstd").compress(mutate(rng, raw), asbytes=True)
        blocks = blocks[:start] + packed + blocks[start + entry["bytes"] :]
        entry["bytes"] = len(packed)
        done = f"{mutate.__name__} in {entry['name']}"
    text = json.dumps(header)
    size = _FIXED.size + len(text) + len(blocks) + 16
    whole = _FIXED.pack(magic, version, size, len(text)) + text.encode() + blocks
    return Case({name: whole + hashlib.blake2b(whole, digest_size=16).digest()}, (), f"{name}: {done}")


def use_sealed(folder: Path, case: Case) -> None:
    """Load it, and do with it what a command does."""
    (name,) = case.files
    if name.endswith(".ftc"):
        counter = ft.Counter.load(folder / name)
        counter.merge(ft.Counter.load(folder / name))
        for system in counter.systems:
            ft.evaluate(counter, counter, systems=system)
    elif name == "fusion.json":
        FusionModel.load(folder / name).apply(_trials())
    else:
        Calibration.load(folder / name).apply(_trials())


SEALED = Target("sealed", make_sealed, use_sealed)
