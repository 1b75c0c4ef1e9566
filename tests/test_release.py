"""What describes a release says the same everywhere."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import fairtrial

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PYTHONS = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python :: 3." in line]


def parsed(name: str) -> dict[Any, Any]:
    found = yaml.safe_load((ROOT / name).read_text())
    assert isinstance(found, dict)
    return found


def recipe() -> str:
    return (ROOT / "packaging/conda/meta.yaml").read_text()


def test_the_version_is_the_same_everywhere() -> None:
    changes = re.search(r"^## (\d\S*) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    citation, meta = parsed("CITATION.cff"), json.loads((ROOT / "codemeta.json").read_text())
    assert changes is not None
    assert (changes[1], changes[2]) == (citation["version"], citation["date-released"])
    assert (meta["version"], meta["datePublished"]) == (citation["version"], citation["date-released"])
    assert f'{{% set version = "{citation["version"]}" %}}' in recipe()
    assert fairtrial.__version__ == citation["version"]


def test_the_recipe_needs_what_the_package_needs() -> None:
    plain = yaml.safe_load(re.sub(r"\{[{%].*?[%}]\}", "x", recipe().replace('{% set version = "', "# ")))
    found = [line.replace(" ", "").replace("matplotlib-base", "matplotlib") for line in plain["requirements"]["run"]]
    assert sorted(found) == sorted([f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]])
    (script,) = plain["build"]["entry_points"]
    assert script == f"fairtrial = {PROJECT['scripts']['fairtrial']}"


def test_the_licences_of_libraries_come_with_the_package() -> None:
    found = {path.name for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern)}
    assert found == {"LICENSE", *(path.name for path in (ROOT / "src/fairtrial/pages/vendor").glob("LICENSE.*"))}
    assert len(found) == 3
    assert PROJECT["license"] == "BSD-3-Clause AND ISC"
    plain = recipe().partition("about:")[2]
    assert "license: BSD-3-Clause AND ISC" in plain
    assert all(f"/{name}" in plain for name in found - {"LICENSE"})


def test_workflows_try_every_python_that_is_promised() -> None:
    assert parsed(".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"] == PYTHONS


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("path", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda path: path.stem)
def test_workflows_may_do_little_and_run_what_there_is(path: Path) -> None:
    found = parsed(str(path.relative_to(ROOT)))
    assert found["permissions"] == {"contents": "read"}
    steps = [step for job in found["jobs"].values() for step in job["steps"]]
    asked = {step["run"].split()[1] for step in steps if step.get("run", "").startswith("make ")}
    assert asked <= targets() | {"docs"}
    for step in steps:
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_the_release_is_published_behind_an_environment_and_without_a_token() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text()
    publish = parsed(".github/workflows/release.yml")["jobs"]["publish"]
    assert publish["environment"] == "release"
    assert publish["permissions"] == {"id-token": "write"}
    assert "secrets." not in text


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda path: path.stem
)
def test_issue_templates_are_forms(path: Path) -> None:
    found = parsed(str(path.relative_to(ROOT)))
    assert {"name", "description", "body"} <= set(found)
    assert all(part["type"] in ("markdown", "textarea", "input", "checkboxes") for part in found["body"])


def test_hooks_are_those_of_make_test() -> None:
    (own,) = parsed(".pre-commit-config.yaml")["repos"]
    assert [hook["entry"].split()[0] for hook in own["hooks"]] == [".venv/bin/ruff", ".venv/bin/ruff", ".venv/bin/mypy"]


def test_the_paper_cites_what_is_in_its_bibliography() -> None:
    text = (ROOT / "paper/paper.md").read_text()
    cited = set(re.findall(r"@([a-z]+\d*)", text.partition("\n---\n")[2]))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper/paper.bib").read_text(), re.MULTILINE))


def test_numbers_of_the_paper_are_those_of_the_benchmarks() -> None:
    """Every figure of the table, as the page of the benchmarks has it, to the digits that the paper gives."""
    page = (ROOT / "docs/benchmarks.md").read_text()
    jobs = {
        "EPC of 101 points": r"EPC, 101 points, 11 M \+ 11 M, normal +\| (\S+) s +\| bob.measure +\| (\S+) s",
        "EER of 11 M scores | 0.0092 s | bob.measure": r"EER, 11 M +\| (\S+) s +\| bob.measure +\| (\S+) s",
        "scikit-learn 1.5.2": r"EER, 11 M +\| (\S+) s +\| scikit-learn +\| (\S+) s",
        "confidence-intervals 0.0.3": r"EER, 1000 resamples of 101 k scores +\| (\S+) s +\| \S+ 50 x 20 +\| (\S+) s",
        "bob.bio.base": r"read 1 M lines +\| (\S+) s +\| bob.bio.base +\| (\S+) s",
    }
    rows = [
        line for line in (ROOT / "paper/paper.md").read_text().splitlines() if line.startswith("| ") and " s | " in line
    ]
    assert len(rows) == len(jobs)
    for key, pattern in jobs.items():
        (row,) = [line for line in rows if key in line]
        found = re.search(pattern, page)
        assert found is not None, key
        ours, theirs, ratio = re.findall(r"([\d.]+)(?= s | s\b| \|$)", row)
        assert float(ours) == pytest.approx(float(found[1]), rel=0.02)
        assert float(theirs) == pytest.approx(float(found[2]), rel=0.02)
        assert float(ratio) == pytest.approx(float(found[2]) / float(found[1]), rel=0.02)
