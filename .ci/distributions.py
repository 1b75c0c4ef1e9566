"""Checks an sdist, a wheel, and the wheel built from the sdist: metadata, contents, and that the wheels are equal."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).parents[1]
WANTED = {
    "Name": "fairtrial",
    "Requires-Python": ">=3.11",
    "License-Expression": "BSD-3-Clause AND ISC",
    "Description-Content-Type": "text/markdown",
}
NEEDED_OF_SDIST = (
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "pyproject.toml",
    "tests/conftest.py",
    "docs/papers.md",
)


def check_wheels(first: Path, again: Path) -> None:
    """Two wheels of one content: the package as git knows it, its metadata, and nothing else."""
    files, others = (
        {name: file.read(name) for name in file.namelist()} for file in map(zipfile.ZipFile, (first, again))
    )
    assert files == others, sorted(name for name in files | others if files.get(name) != others.get(name))
    tracked = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    expected = {name.removeprefix("src/") for name in tracked.split()}
    own = {name for name in files if ".dist-info/" not in name}
    assert own == expected, f"not as git knows it: {sorted(own ^ expected)}"
    assert "fairtrial/py.typed" in own, "the types are not in the wheel"
    (metadata,) = (data.decode() for name, data in files.items() if name.endswith(".dist-info/METADATA"))
    check_metadata(metadata)
    (entries,) = (data.decode() for name, data in files.items() if name.endswith(".dist-info/entry_points.txt"))
    assert "fairtrial = fairtrial.cli.entry:run" in entries
    licences = {name.rpartition("/")[2] for name in files if ".dist-info/licenses/" in name}
    assert licences == {"LICENSE", "LICENSE.d3", "LICENSE.plot"}, f"licences in the wheel: {sorted(licences)}"


def check_metadata(text: str) -> None:
    """What an index shows and an installer reads."""
    found = HeaderParser().parsestr(text)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = re.search(r'^__version__ = "(.*)"$', (ROOT / "src/fairtrial/__init__.py").read_text(), re.MULTILINE)
    assert version is not None
    for name, value in {**WANTED, "Version": version[1], "Summary": project["description"]}.items():
        assert found[name] == value, f"{name}: {found[name]!r}, not {value!r}"
    required = [line for line in found.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert sorted(required) == sorted(line.replace("_", "-") for line in project["dependencies"]), required
    assert set(found.get_all("Provides-Extra", [])) == {
        name.replace("_", "-") for name in project["optional-dependencies"]
    }
    body = found.get_payload()
    assert isinstance(body, str)
    assert body.startswith("# fairtrial"), "the description is not the README"


def check_sdist(path: Path) -> None:
    """All that is needed to build, test and cite it, and nothing that git does not know."""
    with tarfile.open(path) as file:
        names = {name.partition("/")[2] for name in file.getnames()} - {"", "PKG-INFO"}
    missing = [name for name in NEEDED_OF_SDIST if name not in names]
    assert not missing, f"not in the sdist: {missing}"
    tracked = set(
        subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    )
    assert not names - tracked, f"in the sdist, and not of git: {sorted(names - tracked)[:5]}"


if __name__ == "__main__":
    sdist, wheel, again = map(Path, sys.argv[1:])
    check_sdist(sdist)
    check_wheels(wheel, again)
