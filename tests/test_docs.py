"""Commands in the documentation print what the pages show, and what is only shown to be copied is understood."""

import re
import shutil
from pathlib import Path

import pytest

import fairtrial as ft
from doc_pages import EXAMPLE_PAGE, PAGES, Page, run, understand

SHOWING = [Page(path) for path in PAGES if Page(path).shown]
ALL = [Page(path) for path in PAGES]


@pytest.fixture(scope="session")
def example_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the page for beginners says how to make."""
    folder = tmp_path_factory.mktemp("example")
    (script,) = [name for name in Page(EXAMPLE_PAGE).files if name.endswith(".py")]
    (folder / script).write_text(Page(EXAMPLE_PAGE).files[script], encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run(f"python {script}")
    return folder


def test_most_pages_show_commands_that_are_run() -> None:
    assert len(SHOWING) >= 10
    assert sum(len(page.shown) for page in SHOWING) >= 30
    assert all(each.lines for page in SHOWING for each in page.shown if each.command.startswith("fairtrial"))


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.path.name)
def test_commands_print_what_the_page_shows(
    page: Page, example_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if page.needs_example:
        shutil.copytree(example_files, tmp_path, dirs_exist_ok=True)
    for name, content in page.files.items():
        Path(name).write_text(content, encoding="utf-8")
    for shown in page.shown:
        printed = run(shown.command)
        assert shown.missing(printed) == [], f"{page.path.name}: {shown.command} prints\n{printed}"


@pytest.mark.parametrize("page", [page for page in ALL if page.forms], ids=lambda page: page.path.name)
def test_commands_to_be_copied_are_understood(page: Page) -> None:
    for call in page.forms:
        understand(call)


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.path.name)
def test_names_of_the_library_are_there(page: Page) -> None:
    named = set(re.findall(r"\bft\.([A-Za-z_]\w*)", page.text)) - {"NAME"}
    assert {name for name in named if not hasattr(ft, name)} - {"plots"} == set()


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.path.name)
def test_links_lead_to_files_of_the_repository(page: Page) -> None:
    links = re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", page.text)
    here = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in here if not (page.path.parent / link).exists()] == []
