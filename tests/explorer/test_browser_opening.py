"""Files in a real browser: dropped, told, corrected, read, bad, hostile; and who else may look."""

import csv
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from explorer.browsing import QUESTIONS, VIEWS, answer_of, visiting
from fairtrial.cli.app import main
from fairtrial.core.words import percent
from fairtrial.explorer import files

served = pytest.importorskip("fairtrial.explorer.app").served


@pytest.fixture(scope="module")
def empty() -> Iterator[str]:
    """An explorer without files."""
    with served([]) as address:
        yield address


def write_odd(path: Path, source: str) -> Path:
    """Scores with words of their own for labels, a distance in place of a score, and a number that is no score."""
    with open(source, newline="") as file:
        rows = list(csv.DictReader(file))
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["claim", "subject", "label", "face", "gap", "height"])
        for k, row in enumerate(rows):
            label = {"genuine": "ja", "impostor": "nein"}[row["label"]]
            writer.writerow([row["claim"], row["subject"], label, row["face"], -float(row["iris"]), 150.5 + k % 40])
    return path


DROP = """text => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], "test.csv", { type: "text/csv" }));
    return carried;
}"""


def test_files_are_dropped_told_corrected_and_read(
    browser: Any, empty: str, scores: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dev, test = write_odd(tmp_path / "dev.csv", scores[0]), write_odd(tmp_path / "test.csv", scores[1])
    monkeypatch.chdir(tmp_path)
    with visiting(browser, empty) as visit:
        page = visit.page
        page.set_input_files("#choose", dev)
        page.wait_for_selector("table.files td:text-is('dev.csv')")
        page.dispatch_event(".drop", "drop", {"dataTransfer": page.evaluate_handle(DROP, test.read_text())})
        page.wait_for_selector("table.files td:text-is('test.csv')")
        assert page.locator("table.files tbody tr").count() == 2
        assert page.locator("table.files td:text-is('table with a header')").count() == 2
        assert [field.input_value() for field in page.locator("table.files select").all()] == ["dev", "test"]
        names = ["claim", "subject", "label", "face", "gap", "height"]
        roles = [page.get_by_label(f"Column {name} is").input_value() for name in names]
        assert roles == ["claim", "subject", "label", "score", "score", "score"]

        visit.refusals_expected = True
        page.click("#read")
        error = page.locator("#main > div > .error", has_text="dev.csv: label 'ja' is not known")
        error.wait_for()
        unread = CliRunner().invoke(main, ["evaluate", "--dev", "dev.csv", "--test", "test.csv"])
        in_shell, on_page = "--label genuine=WORD --label impostor=WORD", "“WORD: genuine” “WORD: impostor”"
        assert unread.stderr == f"error: {error.inner_text()}\n".replace(on_page, in_shell)

        page.get_by_label("Column height is").select_option("other")
        page.get_by_label("Label ja means").select_option("genuine")
        page.get_by_label("Label nein means").select_option("impostor")
        page.get_by_label("Lower scores of gap mean genuine").check()
        visit.read()
        page.wait_for_selector(".saved >> nth=1", state="attached")
        command = page.locator("details.away").nth(0).locator("pre").first.text_content()
        answer = answer_of(*shlex.split(command)[1:])
        assert [system["system"] for system in answer["systems"]] == ["face", "gap"]
        plain = answer_of("evaluate", "--dev", scores[0], "--test", scores[1], "--criterion", "eer")
        for system, known in zip(answer["systems"], (plain["systems"][0], plain["systems"][2]), strict=True):
            assert system["test"] == known["test"], "a distance is as good as its negative"
            low, high = (percent(system["test"]["interval"][end]) for end in ("low", "high"))
            visit.expect_row(system["system"], hter=percent(system["test"]["hter"]), interval=f"{low} to {high}")
        visit.go("files")
        counts = "96 genuine and 288 impostor trials"
        said = page.locator("#read-data").inner_text()
        assert said == f"2 systems: face, gap; dev: {counts}; test: {counts}; ids: claim, subject"
        assert page.get_by_label("Column height is").input_value() == "other"
        assert page.get_by_label("Lower scores of gap mean genuine").is_checked()


def test_a_file_that_misses_its_place_opens_nothing(browser: Any, empty: str) -> None:
    with visiting(browser, empty) as visit:
        visit.page.wait_for_selector(".drop")
        for kind in ("dragover", "drop"):
            script = f"!document.body.dispatchEvent(new DragEvent('{kind}', {{ bubbles: true, cancelable: true }}))"
            assert visit.page.evaluate(script), "what the browser would do is prevented"


def test_one_file_is_cut_into_folds(browser: Any, empty: str, scores: tuple[str, str]) -> None:
    with visiting(browser, empty) as visit:
        visit.page.set_input_files("#choose", scores[0])
        visit.page.get_by_label("Folds, as there is no test set").fill("4")
        visit.read()
        answer = answer_of("evaluate", "--dev", scores[0], "--folds", "4")
        for system in answer["systems"]:
            low, high = (percent(system["test"]["interval"][end]) for end in ("low", "high"))
            visit.expect_row(system["system"], hter=percent(system["test"]["hter"]), interval=f"{low} to {high}")
        visit.go("fuse")
        visit.page.wait_for_selector(".error:has-text('This needs a test set.')")
        visit.go("errors")
        visit.ask()
        assert visit.page.locator(".answered table").count() == 3


def test_an_error_marks_the_control_that_mends_it(browser: Any, empty: str, tmp_path: Path) -> None:
    rows = "".join(f"{k % 2},{k % 2 + k / 99}\n" for k in range(40))
    (tmp_path / "plain.csv").write_text(f"label,face\n{rows}")
    with visiting(browser, empty) as visit:
        page = visit.page
        visit.refusals_expected = True
        page.set_input_files("#choose", tmp_path / "plain.csv")
        page.click("#read")
        error = page.locator(".error", has_text="“Trials share: nothing”")
        error.wait_for()
        assert "--" not in error.inner_text()
        assert page.locator(".mends").evaluate_all("all => all.map(({ id }) => id)") == ["cluster"]
        page.get_by_label("Trials share").select_option("none")
        visit.read()


def test_a_bad_file_is_told_and_the_rest_stays(
    browser: Any, address: str, scores: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Path(scores[0]).read_text().replace("\np3,p4,impostor,", "\np3,p4,impostor,abc", 1)
    (tmp_path / "broken.csv").write_text(broken)
    (tmp_path / "empty.csv").write_text("")
    monkeypatch.chdir(tmp_path)
    with visiting(browser, address) as visit:
        visit.read()
        visit.go("files")
        page = visit.page
        visit.refusals_expected = True
        page.set_input_files("#choose", [tmp_path / "broken.csv", tmp_path / "empty.csv"])
        page.get_by_label("Use empty.csv as").select_option("test")
        page.wait_for_selector(".error p:text-is('empty.csv: is empty')")
        page.get_by_label("Close empty.csv").click()
        page.wait_for_selector("table.files td:text-is('empty.csv')", state="detached")
        page.get_by_label(f"Use {scores[0]} as").select_option("")
        page.get_by_label("Use broken.csv as").select_option("dev")
        page.click("#read")
        error = page.locator(".error", has_text="broken.csv, line")
        error.wait_for()
        unread = CliRunner().invoke(main, ["evaluate", "--dev", "broken.csv", "--test", scores[1]])
        assert unread.stderr == f"error: {error.inner_text()}\n".replace("“other” for a column", "--column other=NAME")
        visit.go("look")
        visit.expect_row("face", false_accepts=f"{_accepts(scores)} of 288")


def _accepts(scores: tuple[str, str]) -> int:
    answer = answer_of("evaluate", "--dev", scores[0], "--test", scores[1])
    return int(answer["systems"][0]["test"]["false_accepts"])


def test_a_file_that_is_too_large_is_told(
    browser: Any, empty: str, scores: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_UPLOADED", 1000)
    with visiting(browser, empty) as visit:
        visit.refusals_expected = True
        visit.page.set_input_files("#choose", scores[0])
        visit.page.wait_for_selector(".error:has-text('dev.csv: is too large to be dropped; name it on the command')")
        assert visit.page.locator("table.files").count() == 0


EVIL = "<img src=x onerror=alert(1)>"


def test_names_are_text_in_every_view(browser: Any, scores: tuple[str, str], tmp_path: Path) -> None:
    paths = []
    for source in scores:
        text = Path(source).read_text().replace("p1,", f"{EVIL}1,").replace("face", EVIL, 1).replace("sex", f"x{EVIL}")
        text = text.replace(",f\n", f",f{EVIL}\n").replace("genuine", f"g{EVIL}")
        paths.append(tmp_path / f"{EVIL}{Path(source).name}")
        paths[-1].write_text(text)
    with served([str(path) for path in paths]) as address:
        with visiting(browser, address) as visit:
            page = visit.page
            page.wait_for_selector("#read")
            assert EVIL in page.locator("table.files").inner_text()
            page.get_by_label(f"Label g{EVIL} means").select_option("genuine")
            assert page.get_by_label("Label impostor means").input_value() == "impostor"
            visit.read()
            for view in VIEWS[1:]:
                visit.go(view)
                if view in QUESTIONS:
                    visit.ask()
                assert EVIL in page.locator("#main").inner_text()
                assert page.locator("img").count() == 0
                assert page.locator(".error").count() == 0
        with visiting(browser, f"{address}#view={EVIL}&system={EVIL}&criterion={EVIL}&asked={EVIL}") as visit:
            visit.page.wait_for_selector("#read")
            assert visit.page.locator("img").count() == 0


def test_two_browsers_are_two_sessions(browser: Any, address: str, scores: tuple[str, str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text(Path(scores[0]).read_text())
    names = "table.files tbody td:first-child"
    with visiting(browser, address) as one, visiting(browser, address) as two:
        one.page.set_input_files("#choose", mine)
        one.page.wait_for_selector("table.files td:text-is('mine.csv')")
        one.read()
        assert one.page.url.partition("#")[0] != two.page.url
        two.page.reload()
        two.page.wait_for_selector("#read")
        assert two.page.locator(names).all_inner_texts() == list(scores)
        assert two.page.locator("#read-data").count() == 0
        two.page.get_by_label(f"Close {scores[0]}").click()
        two.page.wait_for_selector(f"table.files td:text-is('{scores[0]}')", state="detached")
        one.go("files")
        assert one.page.locator(names).all_inner_texts() == [*scores, "mine.csv"]


def test_other_sites_get_nothing(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.route("http://elsewhere.test/**", lambda route: route.fulfill(body="<p>elsewhere", content_type="text/html"))
    page.goto("http://elsewhere.test/")
    tried = page.evaluate(
        """async address => {
        const outcome = promise => promise.then(answer => `${answer.type} ${answer.status}`, () => "refused");
        const script = new Promise(resolve => {
            const node = document.createElement("script");
            node.src = `${address}static/tables.js`;
            node.onload = () => resolve("loaded");
            node.onerror = () => resolve("refused");
            document.body.append(node);
        });
        return [await outcome(fetch(address)), await outcome(fetch(address, { mode: "no-cors" })),
            await outcome(fetch(`${address}x/api/files?name=a`, { method: "PUT", body: "a" })),
            await outcome(fetch(`${address}x/api/read`, { method: "POST", mode: "no-cors", body: "{}" })),
            await script];
    }""",
        address,
    )
    assert tried == ["refused"] * 5
    answer = page.goto(address[:-5] + "x/")
    assert answer.status == 403
    assert "the address lacks the token that fairtrial explore printed" in page.inner_text("body")
    context.close()
