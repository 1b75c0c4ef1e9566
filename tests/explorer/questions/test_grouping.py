"""Groups of trials and of people, as the command line has them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from explorer.opened import read_data, write_sets
from fairtrial.cli.app import main
from fairtrial.explorer.data import Data
from fairtrial.explorer.questions.grouping import GroupsQuestion
from fairtrial.explorer.reading import Reading
from fairtrial.explorer.shelf import Shelf


def with_people(folder: Path, person: str = "person") -> Data:
    paths = write_sets(folder)
    people = sorted(
        set(read_data(paths).test.ids["claim"].decode()) | set(read_data(paths).test.ids["subject"].decode())
    )
    table = folder / "people.csv"
    table.write_text(f"{person},sex\n" + "".join(f"{name},{'fm'[k % 2]}\n" for k, name in enumerate(people)))
    reading = Reading.of({"dev": ["f1"], "test": ["f2"], "people": "f3"})
    files = reading.files(Shelf([*paths, str(table)]))
    return Data(reading.read(files, None, room=10**10), reading, files)


@pytest.mark.parametrize("kind", ["column", "people", "people by another name"])
def test_groups_are_those_of_the_command_that_is_shown(tmp_path: Path, kind: str) -> None:
    data = with_people(tmp_path, "id" if kind.endswith("name") else "person") if kind != "column" else None
    data = data or read_data(write_sets(tmp_path))
    by = "device" if kind == "column" else "sex"
    question = GroupsQuestion.of({"system": "face", "by": [by], "point": {"criterion": "eer"}})
    found = question.answer(data, lambda share: None)
    repeated = question.repeated(data)
    told = CliRunner().invoke(main, [*repeated.command, "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["groups"] == json.loads(json.dumps(found.found["groups"]))
    known: dict[str, Any] = {"print": lambda result: known.update(result=result)}
    exec(repeated.python, known)
    assert known["result"].to_dict()["groups"] == found.found["groups"]
    assert data.people_columns == (() if kind == "column" else ("sex",))
