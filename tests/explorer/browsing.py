"""Score files to look at in a browser, and what to do there."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
from click.testing import CliRunner
from pyarrow import parquet

from fairtrial.cli.app import main

SYSTEMS = ("face", "voice", "iris")
VIEWS = ("files", "look", "compare", "fuse", "groups", "evidence", "people", "errors")
QUESTIONS = VIEWS[2:]
_PATIENCE = 300_000 if "FAIRTRIAL_BIG" in os.environ else 60_000
"""Milliseconds until an answer is taken as missing."""


def write_scores(path: Path, seed: int, *, people: int = 24, attempts: int = 4, impostors: int = 12) -> Path:
    """Trials of three systems; the voices of the last three people are hard to recognise."""
    rng = np.random.default_rng(seed)
    rows = ["claim,subject,label,face,voice,iris,sex"]
    for claim in range(people):
        others = [(claim + 1 + k) % people for k in range(impostors)]
        for subject in [claim] * attempts + others:
            genuine = subject == claim
            shift = np.array([2.5, 1.9 if claim < people - 3 else -1.0, 2.0]) * genuine
            scores = ",".join(f"{score:.6f}" for score in rng.normal(size=3) + shift)
            rows.append(
                f"p{claim},p{subject},{'genuine' if genuine else 'impostor'},{scores},{'fm'[claim < people // 2]}"
            )
    path.write_text("\n".join(rows) + "\n")
    return path


def write_many(path: Path, seed: int, rows: int) -> Path:
    """Very many trials of two systems in a Parquet file."""
    rng, people = np.random.default_rng(seed), 3000
    genuine = rng.random(rows) < 0.02
    claim = rng.integers(0, people, rows)
    subject = np.where(genuine, claim, (claim + 1 + rng.integers(0, people - 1, rows)) % people)
    names = pa.array([f"p{k}" for k in range(people)])
    ids = {
        name: pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), names)
        for name, codes in (("claim", claim), ("subject", subject))
    }
    scores = {name: rng.normal(size=rows) + shift * genuine for name, shift in (("face", 3.0), ("voice", 2.5))}
    parquet.write_table(pa.table({**ids, "label": pa.array(genuine), **scores}), path)
    return path


def answer_of(*words: str) -> dict[str, Any]:
    """What the command line says with --json."""
    result = CliRunner().invoke(main, [*words, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


class Visit:
    """A page of the explorer in a context of its own, and everything that it complains about."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 1000}, **options})
        self.page = self.context.new_page()
        self.heard: list[str] = []
        self.origin = "{0.scheme}://{0.netloc}".format(urlsplit(address))
        self.refusals_expected = False
        self.page.on("console", lambda message: self.hear(message.text))
        self.page.on("pageerror", lambda error: self.hear(str(error)))
        self.page.on("dialog", self._refuse_dialog)
        self.context.on("request", self._check_request)
        self.page.goto(address)

    def hear(self, text: str) -> None:
        """Keep a complaint; a browser complains about every answer that is an error, expected or not."""
        if not (self.refusals_expected and "422" in text):
            self.heard.append(text)

    def _refuse_dialog(self, dialog: Any) -> None:
        self.heard.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _check_request(self, request: Any) -> None:
        if not request.url.startswith((self.origin, "data:", "blob:", "file:")):
            self.heard.append(f"request {request.url}")

    def close(self) -> None:
        """Close the context; an error where the page complained."""
        self.context.close()
        assert self.heard == [], self.heard

    def read(self) -> None:
        """Read the files as they are told."""
        self.page.click("#read")
        self.page.wait_for_selector("figure[data-figure=roc]")

    def go(self, view: str) -> None:
        """Go to a view."""
        self.page.click(f"nav a[data-view={view}]")

    def ask(self) -> None:
        """Wait until all questions of this view are answered."""
        self.page.wait_for_selector("#status:text-is('Answered')", state="attached", timeout=_PATIENCE)
        self.page.eval_on_selector_all("details.tables", "all => all.forEach(each => { each.open = true; })")

    def expect_row(self, system: str, **figures: str) -> None:
        """The table of errors says this about a system, now or soon."""
        from playwright.sync_api import expect

        row = self.page.locator(f"#numbers tr[data-system='{system}']")
        for name, text in figures.items():
            expect(row.locator(f"[data-figure={name}]")).to_have_text(text, timeout=_PATIENCE)

    def row(self, system: str) -> dict[str, str]:
        """What the table of errors says about a system now."""
        cells: dict[str, str] = self.page.eval_on_selector_all(
            f"#numbers tr[data-system='{system}'] [data-figure]",
            "cells => Object.fromEntries(cells.map(cell => [cell.dataset.figure, cell.textContent]))",
        )
        return cells

    def answer(self, number: int = 0) -> dict[str, Any]:
        """The JSON of an answer on the page, as it is saved."""
        answer: dict[str, Any] = json.loads(self.saved("JSON", number))
        return answer

    def saved(self, kind: str, number: int = 0, row: str = "") -> bytes:
        """What a link of "Save or repeat" saves."""
        away = self.page.locator(".saved").nth(number)
        away.evaluate("away => { away.closest('details').open = true; }")
        within = away.locator("p.row", has_text=row) if row else away
        with self.page.expect_download() as waiting:
            within.locator(f"a:text-is('{kind}')").click()
        return Path(waiting.value.path()).read_bytes()


@contextmanager
def visiting(browser: Any, address: str, **options: Any) -> Iterator[Visit]:
    """A visit that must end without complaints."""
    visit = Visit(browser, address, **options)
    try:
        yield visit
    except BaseException:
        visit.context.close()
        raise
    visit.close()
