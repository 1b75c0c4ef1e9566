"""Rewrite what the commands of a page print: python docs/refresh.py docs/PAGE.md ... (needs tests on PYTHONPATH)."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from doc_pages import LEFT_OUT, Page, Step, make_stand_ins, run

SHOWN = 16
"""Lines shown of what was left out in part before."""


def printed_lines(step: Step, printed: str) -> list[str]:
    """Give the lines to show: all, or the first ones if the page left some out."""
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    if step.lines is None or LEFT_OUT not in step.lines or len(lines) <= SHOWN:
        return lines
    return [*lines[:SHOWN], LEFT_OUT]


def refresh(path: Path, example: Path) -> bool:
    """Run the commands of a page and rewrite those outputs that are not printed any more."""
    page, text = Page(path), path.read_text(encoding="utf-8")
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        if page.needs_example:
            shutil.copytree(example, folder, dirs_exist_ok=True)
        os.chdir(folder)
        for name, content in page.files.items():
            Path(name).write_text(content, encoding="utf-8")
        printed: dict[str, str] = {}
        for step in page.steps:
            printed.setdefault(step.command, run(step))
            if step.lines and step.missing(printed[step.command]):
                old, new = (
                    "".join(f"    {line}".rstrip() + "\n" for line in lines)
                    for lines in (step.lines, printed_lines(step, printed[step.command]))
                )
                text = text.replace(old, new, 1)
        os.chdir(before)
    changed = text != path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    return changed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        here = os.getcwd()
        os.chdir(place)
        run(Step("fairtrial demo"))
        make_stand_ins()
        os.chdir(here)
        for name in sys.argv[1:]:
            try:
                print(name, "changed" if refresh(Path(name).resolve(), Path(place)) else "as before", flush=True)
            except Exception as error:  # the next page may do
                os.chdir(here)
                print(name, "failed:", error, flush=True)
