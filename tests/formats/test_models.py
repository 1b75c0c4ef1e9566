"""Saved models: what is written is read back, and anything else is refused with an error that says why."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.calibration import Calibration, fit_calibration
from fairtrial.core.errors import InputError, OutputError, ParameterError
from fairtrial.core.schema import NAME, Entries, Key
from fairtrial.formats.models import NUMBERS, THRESHOLD, ModelFormat, SavedModel, exact


@dataclass
class Toy(SavedModel):
    """A model that holds what it is made of."""

    content: dict[str, Any]
    FORMAT: ClassVar = ModelFormat(
        "fairtrial toy", 2, (Key("name", NAME), Key("numbers", NUMBERS), Key("threshold", THRESHOLD))
    )

    def to_dict(self) -> dict[str, Any]:
        return self.content

    @classmethod
    def from_entries(cls, entries: Entries) -> Self:
        return cls(entries)


CONTENT: dict[str, Any] = {"name": "größe", "numbers": [[1.0, 2.5], [3.0, -1e300]], "threshold": "-inf"}


def test_what_is_saved_is_read_back_and_sealed(tmp_path: Path) -> None:
    Toy(CONTENT).save(tmp_path / "m.json")
    found = Toy.load(tmp_path / "m.json").content
    assert (found["name"], found["numbers"].tolist(), found["threshold"]) == ("größe", CONTENT["numbers"], -np.inf)
    written = json.loads((tmp_path / "m.json").read_text())
    assert (written["kind"], written["version"]) == ("fairtrial toy", 2)
    seal = written.pop("sha256")
    assert seal == hashlib.sha256(json.dumps(written, sort_keys=True).encode()).hexdigest()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"kind": "fairtrial fusion model"}, "not-a-model"),
        ({"version": 3}, "model-version"),
        ({"version": None}, "model-version"),
        ({"name": "other"}, "model-checksum"),
        ({"sha256": None, "sha25v": "1"}, "unknown-key"),
        ({"sha256": None, "name": 1}, "value"),
        ({"sha256": None, "numbers": [1e308, 10**309]}, "value"),
        ({"sha256": None, "numbers": [float("nan")]}, "value"),
        ({"sha256": None, "numbers": [[1.0], [1.0, 2.0]]}, "value"),
        ({"sha256": None, "threshold": 10**400}, "value"),
        ({"sha256": None, "threshold": "nan"}, "value"),
    ],
)
def test_damage(change: dict[str, Any], code: str, tmp_path: Path) -> None:
    Toy(CONTENT).save(tmp_path / "m.json")
    changed = {**json.loads((tmp_path / "m.json").read_text()), **change}
    (tmp_path / "m.json").write_text(json.dumps({key: value for key, value in changed.items() if value is not None}))
    with pytest.raises(InputError) as error:
        Toy.load(tmp_path / "m.json")
    assert error.value.code == code


def test_numbers_too_large_for_json_of_others(tmp_path: Path) -> None:
    text = '{"kind": "fairtrial toy", "version": 2, "name": "n", "threshold": 0, "numbers": [1e999]}'
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(InputError) as error:
        Toy.load(tmp_path / "m.json")
    assert error.value.code == "value"


@pytest.mark.parametrize("error", [KeyError("a"), TypeError("x"), ValueError("x"), IndexError("x"), OverflowError("x")])
def test_entries_that_do_not_go_together(error: Exception, tmp_path: Path) -> None:
    class Broken(Toy):
        @classmethod
        def from_entries(cls, entries: Entries) -> Self:
            assert entries
            raise error

    Toy(CONTENT).save(tmp_path / "m.json")
    with pytest.raises(InputError) as caught:
        Broken.load(tmp_path / "m.json")
    assert caught.value.code == "model-damaged"


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    for value in (np.inf, np.nan):
        with pytest.raises(ParameterError):
            Toy({**CONTENT, "numbers": [value]}).save(tmp_path / "m.json")
    assert not list(tmp_path.iterdir())
    with pytest.raises(OutputError):
        Toy(CONTENT).save(tmp_path / "nowhere" / "m.json")


def test_thresholds_in_json() -> None:
    assert [exact(value) for value in (0.5, np.inf, -np.inf)] == [0.5, "inf", "-inf"]


def test_every_flipped_bit_is_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    genuine = rng.random(60) < 0.5
    dev = ft.Trials.from_arrays(rng.normal(size=(60, 2)) + genuine[:, None], genuine, systems=["face", "voice"])
    place = tmp_path / "m.json"
    fit_calibration(dev, systems=["face"]).save(place)
    whole = place.read_bytes()
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        place.write_bytes(damaged)
        with pytest.raises(InputError):
            Calibration.load(place)
