"""The pictures of docs/explore.md and README.md: explorer and report in a browser, on synthetic scores; run by hand."""

import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
from click.testing import CliRunner
from playwright.sync_api import Page, sync_playwright

from fairtrial import Trials, write_trials
from fairtrial.cli.app import main
from fairtrial.explorer.app import served

PICTURES = Path(__file__).parent.resolve() / "pictures"
CLIENTS, IMPOSTORS, ATTEMPTS = 60, 30, 4


def simulated(seed: int) -> Trials:
    """Clients who try to be themselves and impostors who try to be each of them; people differ, and so do devices."""
    rng = np.random.default_rng(seed)
    clients, impostors = 100 * seed + np.arange(CLIENTS), 5000 + 100 * seed + np.arange(IMPOSTORS)
    claim = np.concatenate([np.repeat(clients, ATTEMPTS), np.repeat(clients, IMPOSTORS)])
    subject = np.concatenate([np.repeat(clients, ATTEMPTS), np.tile(impostors, CLIENTS)])
    genuine = (claim == subject)[:, None]
    people, phone = rng.normal(0, 0.5, (6000, 3)), rng.random(len(claim)) < 0.4
    scores = rng.normal(size=(len(claim), 3)) + genuine * np.array([2.6, 3.1, 2.2])
    scores += people[claim] + 0.6 * people[subject] * ~genuine - 0.9 * (phone[:, None] & genuine)
    return Trials.from_arrays(
        scores,
        genuine[:, 0],
        systems=["face", "voice", "gait"],
        claim=[f"p{k:04d}" for k in claim],
        subject=[f"p{k:04d}" for k in subject],
        columns={"device": np.where(phone, "phone", "desk")},
    )


def open_view(page: Page, view: str) -> None:
    page.click(f"nav a[data-view={view}]")
    page.wait_for_selector('#status:has-text("Answered")', timeout=60_000)
    page.wait_for_timeout(3500)  # until that word has gone


def take() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed, name in enumerate(("dev.csv", "test.csv")):
            write_trials(simulated(seed), name)
        CliRunner().invoke(main, ["demo", "demo"])
        files = ["--dev", "demo/dev.csv", "--test", "demo/test.csv"]
        CliRunner().invoke(main, ["compare", *files, "--systems", "face,voice", "--report", "comparison.html"])
        with served(["dev.csv", "test.csv"]) as address, sync_playwright() as running:
            browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(address)
            page.click("#read")
            page.wait_for_selector("#numbers td:has-text(' to ')")
            page.wait_for_timeout(2000)
            page.screenshot(path=PICTURES / "explore-look.png")
            open_view(page, "groups")
            page.screenshot(path=PICTURES / "explore-groups.png")
            page.click("#theme")
            open_view(page, "compare")
            page.screenshot(path=PICTURES / "explore-compare.png")
            page.goto(Path("comparison.html").resolve().as_uri())
            page.wait_for_selector("#density path")
            page.screenshot(path=PICTURES / "page.png")
            browser.close()
        os.chdir("/")


if __name__ == "__main__":
    take()
