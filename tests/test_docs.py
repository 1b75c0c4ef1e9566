"""Commands in the documentation print what the pages show, and what is only shown to be copied is understood."""

import re
import runpy
import shutil
from pathlib import Path

import pytest

import fairtrial as ft
from doc_pages import EXAMPLE_PAGE, PAGES, ROOT, Page, Shown, run, understand

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
    printed: dict[str, str] = {}
    for shown in page.shown:
        if shown.command not in printed:
            printed[shown.command] = run(shown.command)
        assert shown.missing(printed[shown.command]) == [], f"{shown.command} prints\n{printed[shown.command]}"


def test_lines_of_python_in_the_readme_run(
    example_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", Page(ROOT / "README.md").text, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(example_files)
    exec(code, {})
    assert "face - voice" in capsys.readouterr().out


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
    assert Shown("fairtrial", lines).missing("one\ntwo  \nthree\n") == missing


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
    pages = {path.stem for path in PAGES if path.parent.name == "docs"} - {"index"}
    assert pages - listed == set(), "add them to a toctree, mostly that of docs/guide.md"
