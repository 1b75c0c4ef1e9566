"""Commands in the documentation run and print what the pages show; those that are not run say why."""

import re
import runpy
import shutil
from pathlib import Path

import click
import pytest

import fairtrial as ft
from doc_pages import PAGES, ROOT, Page, Step, is_form, make_stand_ins, run, understand
from fairtrial.cli.app import main

ALL = [Page(path) for path in PAGES]
RUN = [page for page in ALL if any(block.not_run is None for block in page.blocks)]


@pytest.fixture(scope="session")
def example_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of `fairtrial demo`, and some that stand for those of a reader."""
    folder = tmp_path_factory.mktemp("example")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run(Step("fairtrial demo"))
        make_stand_ins()
    return folder


def test_most_pages_show_what_commands_print() -> None:
    shown = [step for page in RUN for step in page.steps if step.lines is not None]
    assert len(shown) >= 40
    assert all(step.lines for step in shown if step.command.startswith("fairtrial"))


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.path.name)
def test_commands_run_and_print_what_the_page_shows(
    page: Page, example_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if page.needs_example:
        shutil.copytree(example_files, tmp_path, dirs_exist_ok=True)
    for name, content in page.files.items():
        Path(name).write_text(content, encoding="utf-8")
    printed: dict[str, str] = {}
    for step in page.steps:
        if step.command not in printed:
            printed[step.command] = run(step)
        assert step.missing(printed[step.command]) == [], f"{step.command} prints\n{printed[step.command]}"


@pytest.mark.parametrize("page", [page for page in ALL if page.unrun], ids=lambda page: page.path.name)
def test_commands_that_are_not_run_are_understood(page: Page) -> None:
    calls = [step.command for block in page.unrun for step in block.steps]
    for call in calls:
        if call.startswith("fairtrial ") and not is_form(call):
            understand(call)


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.path.name)
def test_every_mark_says_why_the_block_below_it_is_not_run(page: Page) -> None:
    assert page.text.count("not run:") == len(page.unrun), "<!-- not run: WHY -->, an empty line, an indented block"
    assert all(len((block.not_run or "").split()) >= 3 for block in page.unrun)


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.path.name)
def test_no_command_hides_outside_of_the_blocks(page: Page) -> None:
    command = re.compile(rf" *(?:\$ )?fairtrial (?:{'|'.join(main.list_commands(click.Context(main)))})\b")
    in_blocks = [line for block in page.blocks for line in block.lines]
    assert sum(bool(command.match(line)) for line in page.text.splitlines()) == sum(
        bool(command.match(line)) for line in in_blocks
    )


def test_lines_of_python_in_the_readme_run(
    example_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", Page(ROOT / "README.md").text, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(example_files)
    exec(code, {})
    assert "face - voice" in capsys.readouterr().out


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.path.name)
def test_names_of_the_library_are_there(page: Page) -> None:
    named = set(re.findall(r"\bft\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", page.text)) - {"NAME", "ROOM.NAME"}
    assert {name for name in named if not _is_there(name.split("."))} == set()


def _is_there(path: list[str]) -> bool:
    found: object = ft
    for name in path:
        if not hasattr(found, name):
            return False
        found = getattr(found, name)
    return True


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.path.name)
def test_links_lead_to_files_of_the_repository(page: Page) -> None:
    links = re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", page.text)
    here = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in here if not (page.path.parent / link).exists()] == []


@pytest.mark.parametrize(
    ("lines", "missing"),
    [
        (("one", "two", "three"), []),
        (("one", "..."), []),
        (("...", "two", "...", "three"), []),
        (("one", "two"), ["one", "two"]),
        (("...", "two", "...", "one"), ["one"]),
        (("one", "three", "..."), ["one", "three"]),
        (("...", "2", "..."), ["2"]),
    ],
)
def test_what_is_left_out_is_said(lines: tuple[str, ...], missing: list[str]) -> None:
    assert Step("fairtrial", lines).missing("one\ntwo  \nthree\n") == missing


def test_broken_links_of_the_site_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    find_faults = runpy.run_path(str(ROOT / "docs" / "check_links.py"))["find_faults"]
    (tmp_path / "a.html").write_text('<h1 id="top">A</h1><a href="b.html#here">b</a><a href="#top">a</a>')
    (tmp_path / "b.html").write_text('<p id="here">B</p><a href="https://example.org">elsewhere</a>')
    assert find_faults(tmp_path) == []
    (tmp_path / "c.html").write_text(
        '<a href="d.html">d</a><a href="b.html#there">b</a><script src="https://example.org/x.js"></script>'
    )
    assert find_faults(tmp_path) == [
        "c.html: loads https://example.org/x.js",
        "c.html: d.html is not there",
        "c.html: b.html#there has no such anchor",
    ]


def test_every_page_is_in_the_contents_of_the_site() -> None:
    listed: set[str] = set()
    for page in ALL:
        for toctree in re.findall(r"^```\{toctree\}\n(.*?)^```", page.text, re.MULTILINE | re.DOTALL):
            listed |= set(re.findall(r"^(?:.*<)?([\w-]+)>?$", toctree, re.MULTILINE))
    pages = {path.stem for path in PAGES if path.parent == ROOT / "docs"} - {"index"}
    assert pages - listed == set(), "add them to a toctree, mostly that of docs/guide.md"
