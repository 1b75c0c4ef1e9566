"""The explorer in a real browser: the numbers of the command line, without complaints and without the network."""

import csv
import io
import os
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from explorer.browsing import QUESTIONS, VIEWS, Visit, answer_of, visiting, write_many
from fairtrial.core.words import percent

served = pytest.importorskip("fairtrial.explorer.app").served


@pytest.fixture(scope="module")
def one_visit(browser: Any, address: str) -> Iterator[Visit]:
    """A visit for all tests that leave nothing behind; the files are read."""
    with visiting(browser, address) as visit:
        visit.read()
        yield visit


@pytest.fixture
def shared(one_visit: Visit) -> Visit:
    """The same visit with nothing chosen yet."""
    one_visit.page.goto(one_visit.page.url.partition("#")[0])
    one_visit.page.wait_for_selector("#read-data")
    assert one_visit.heard == []
    return one_visit


def evaluated(scores: tuple[str, str], *words: str) -> dict[str, dict[str, Any]]:
    """What the command line says of every system."""
    answer = answer_of("evaluate", "--dev", scores[0], "--test", scores[1], *words)
    return {system["system"]: system for system in answer["systems"]}


def check_numbers(visit: Visit, scores: tuple[str, str], *words: str) -> None:
    """The table of errors says what the command line says, intervals included."""
    for system, result in evaluated(scores, *words).items():
        test = result["test"]
        low, high = (percent(test["interval"][end]) for end in ("low", "high"))
        visit.expect_row(
            system,
            **{name: percent(test[name]) for name in ("far", "frr", "hter")},
            interval=f"{low} to {high}",
            false_accepts=f"{test['false_accepts']} of {test['impostor']}",
            false_rejects=f"{test['false_rejects']} of {test['genuine']}",
        )
        assert float(visit.row(system)["threshold"]) == pytest.approx(result["threshold"], rel=1e-5)


def test_alpha_moves_by_mouse_and_by_keys(shared: Visit, scores: tuple[str, str]) -> None:
    shared.go("look")
    page = shared.page
    check_numbers(shared, scores)
    page.select_option("#criterion", "wer-min")
    check_numbers(shared, scores, "--criterion", "wer-min", "--alpha", "0.5")
    drawn = [page.locator(f"figure[data-figure={name}]").inner_html() for name in ("epc", "det", "density", "roc")]
    box = page.locator("#slider").bounding_box()
    page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + box["height"] / 2)
    alpha = page.input_value("#value")
    assert 0.2 < float(alpha) < 0.3
    check_numbers(shared, scores, "--criterion", "wer-min", "--alpha", alpha)
    for name, before in zip(("epc", "det", "density", "roc"), drawn, strict=True):
        assert page.locator(f"figure[data-figure={name}]").inner_html() != before, f"{name} did not move"
    page.focus("#slider")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert float(page.input_value("#value")) == pytest.approx(float(alpha) + 0.03)
    check_numbers(shared, scores, "--criterion", "wer-min", "--alpha", page.input_value("#value"))


def test_the_interval_of_another_point_is_never_shown(shared: Visit) -> None:
    shared.go("look")
    shared.page.select_option("#criterion", "wer-min")
    shared.page.wait_for_selector("#numbers [data-figure=interval]:has-text(' to ')")
    after = shared.page.evaluate(
        """() => {
        const slider = document.getElementById("slider");
        slider.value = 700;
        slider.dispatchEvent(new Event("input"));
        return document.querySelector("#numbers [data-figure=interval]").textContent;
    }"""
    )
    assert after == "\N{HORIZONTAL ELLIPSIS}"


def test_targets_are_typed_and_moved(shared: Visit, scores: tuple[str, str]) -> None:
    shared.go("look")
    page = shared.page
    page.select_option("#criterion", "far")
    check_numbers(shared, scores, "--criterion", "far", "--alpha", "0.01")
    assert page.input_value("#value") == "1"
    page.focus("#slider")
    page.keyboard.press("ArrowRight")
    assert page.input_value("#value") == "1.1", "the slider is where the target is"
    check_numbers(shared, scores, "--criterion", "far", "--alpha", "0.011")
    page.keyboard.press("End")
    assert page.input_value("#value") == "47"
    page.fill("#value", "7.77")
    page.keyboard.press("Enter")
    check_numbers(shared, scores, "--criterion", "far", "--alpha", "0.0777")
    page.select_option("#criterion", "frr")
    check_numbers(shared, scores, "--criterion", "frr", "--alpha", "0.01")
    page.select_option("#criterion", "eer")
    check_numbers(shared, scores, "--criterion", "eer")
    page.select_option("#criterion", "dcf")
    check_numbers(shared, scores, "--criterion", "dcf")


def errors_above(path: str, column: str, threshold: float) -> tuple[int, int]:
    """False accepts and false rejects, counted one by one."""
    with open(path, newline="") as file:
        trials = [(row["label"] == "genuine", float(row[column]) >= threshold) for row in csv.DictReader(file)]
    return sum(not genuine and accepted for genuine, accepted in trials), sum(
        genuine and not accepted for genuine, accepted in trials
    )


def test_threshold_is_dragged_by_mouse_and_by_keys(shared: Visit, scores: tuple[str, str]) -> None:
    shared.go("look")
    page = shared.page
    page.wait_for_selector("figure[data-figure=density]")
    page.check("#numbers input[value=iris]")
    handle = page.locator("figure[data-figure=density] [role=slider]")
    handle.scroll_into_view_if_needed()
    start = handle.locator(".grip").bounding_box()
    middle = start["y"] + start["height"] / 2
    page.mouse.move(start["x"] + start["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(start["x"] - 40, middle, steps=4)
    page.mouse.up()
    assert page.input_value("#criterion") == "threshold"
    for key in (None, "ArrowRight", "PageDown"):
        if key is not None:
            handle.focus()
            page.keyboard.press(key)
        threshold = float(page.get_attribute("figure[data-figure=density] [role=slider]", "aria-valuenow"))
        accepts, rejects = errors_above(scores[1], "iris", threshold)
        shared.expect_row("iris", false_accepts=f"{accepts} of 288", false_rejects=f"{rejects} of 96")
        assert float(page.input_value("#value")) == pytest.approx(threshold, rel=1e-5)
    page.fill("#value", "1.25")
    page.keyboard.press("Enter")
    check_numbers(shared, scores, "--threshold", "1.25")


def test_a_drag_asks_one_thing_at_a_time(shared: Visit) -> None:
    shared.go("look")
    page = shared.page
    going: set[str] = set()
    most: list[int] = []

    def begun(request: Any) -> None:
        if "/api/at" in request.url:
            going.add(request.url)
            most.append(len(going))

    page.on("request", begun)
    page.on("requestfinished", lambda request: going.discard(request.url))
    page.wait_for_selector("figure[data-figure=density]")
    page.locator("figure[data-figure=density] [role=slider]").focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    threshold = float(page.get_attribute("figure[data-figure=density] [role=slider]", "aria-valuenow"))
    shared.expect_row("face", threshold=f"{threshold:.6g}")
    assert set(most) == {1}


def test_a_weight_that_is_none_is_told(shared: Visit) -> None:
    shared.go("look")
    page = shared.page
    page.select_option("#criterion", "wer-min")
    shared.refusals_expected = True
    page.fill("#value", "7")
    page.keyboard.press("Enter")
    page.wait_for_selector(".operating .error")
    assert "alpha must be" in page.locator(".operating .error").inner_text()
    page.fill("#value", "0.7")
    page.keyboard.press("Enter")
    page.wait_for_selector(".operating .error", state="detached")
    page.wait_for_selector("#numbers [data-figure=interval]:has-text(' to ')")
    assert page.input_value("#slider") == "700"
    shared.refusals_expected = False


def test_systems_are_switched_on_and_off(shared: Visit) -> None:
    shared.go("look")
    page = shared.page
    page.uncheck("text=voice >> input[type=checkbox]")
    page.wait_for_selector("#numbers tr[data-system=voice]", state="detached")
    assert page.locator("figure[data-figure=det] >> text=voice").count() == 0
    page.check("text=voice >> input[type=checkbox]")
    page.wait_for_selector("#numbers tr[data-system=voice]")
    page.wait_for_selector("figure[data-figure=det] text:has-text('voice')")


def test_two_systems_are_compared(shared: Visit, scores: tuple[str, str]) -> None:
    shared.go("compare")
    page = shared.page
    shared.ask()
    expected = answer_of("compare", "--dev", scores[0], "--test", scores[1], "--systems", "face,voice")
    (pair,) = expected["pairs"]
    assert shared.answer(0) == expected
    sentence = page.locator(".answer").first.inner_text()
    low, high = sorted(abs(100 * pair["interval"][end]) for end in ("low", "high"))
    p = pair["tests"][0]["p_value"]
    assert sentence == (
        f"face is better than voice by {abs(100 * pair['difference']):.2f} percentage points (95 % interval "
        f"{low:.2f} to {high:.2f}, threshold re-estimated; {f'p = {p:.3g}' if p >= 1e-4 else 'p < 0.0001'})."
    )
    page.wait_for_selector("figure[data-figure=differences] svg")
    page.wait_for_selector("figure[data-figure=regions] svg")
    curves = answer_of("epc", "--dev", scores[0], "--test", scores[1], "--compare", "face,voice")
    assert shared.answer(1)["comparison"]["regions"] == curves["comparison"]["regions"]
    page.click("#more")
    page.wait_for_selector("text=would show it in 80 of 100 tests. Here there were 24 clients.")


def test_a_fusion_is_tried(shared: Visit, scores: tuple[str, str]) -> None:
    shared.go("fuse")
    page = shared.page
    page.select_option("#criterion", "eer")
    for fusion, normalise in (("mean", "z"), ("logistic", "none")):
        page.select_option("#fusion", fusion)
        page.select_option("#normalise", normalise)
        shared.ask()
        expected = answer_of(
            "fuse", "--dev", scores[0], "--test", scores[1], "--systems", "face,voice", "--fusion", fusion,
            "--normalise", normalise, "--criterion", "eer",
        )  # fmt: skip
        answer = shared.answer()
        assert {name: expected[name] for name in answer} == answer
        assert (
            percent(expected["test"]["hter"]).removesuffix(" %") in page.locator(".answered table").first.inner_text()
        )
    page.wait_for_selector("figure[data-figure=epc] svg")


def test_groups_by_a_column(shared: Visit, scores: tuple[str, str]) -> None:
    shared.go("groups")
    page = shared.page
    page.select_option("#system", "voice")
    shared.ask()
    expected = answer_of(
        "groups", "--dev", scores[0], "--test", scores[1], "--by", "sex", "--system", "voice",
    )  # fmt: skip
    answer = shared.answer()
    assert {name: expected[name] for name in answer} == answer
    assert page.locator("figure[data-figure=rates-frr] circle").count() == 2
    shown = page.locator(".answered table").first.locator("tbody tr").all_inner_texts()
    assert [row.split()[0] for row in shown] == ["f", "m"]


def test_evidence_and_its_prior(shared: Visit, scores: tuple[str, str]) -> None:
    shared.go("evidence")
    page = shared.page
    shared.ask()
    answer = shared.answer()
    expected = answer_of("calibrate", "--dev", scores[0], "--test", scores[1], "--method", "logistic")
    assert [system["test"]["cllr"] for system in answer["systems"]] == [
        system["test"]["cllr"] for system in expected["systems"]
    ]
    said = page.locator(".form span[aria-live]")
    before = said.inner_text()
    assert before.startswith("prior 0.5: ")
    page.focus("#odds")
    page.keyboard.press("End")
    assert said.inner_text() != before
    assert page.get_attribute("#odds", "aria-valuetext") == said.inner_text()
    page.select_option("label:has-text('Show') select", label="iris")
    page.wait_for_selector("figure[data-figure=tippett] svg")


def test_people_who_stand_out(shared: Visit) -> None:
    shared.go("people")
    page = shared.page
    page.select_option("#system", "voice")
    shared.ask()
    table = page.locator(".answered table tbody tr")
    assert table.count() == 24
    goats = [row.split("\t")[0] for row in table.all_inner_texts() if "goat" in row]
    assert {"p21", "p22", "p23"} <= set(goats), "those who were made so"
    assert f"{len(goats)} are hard to recognise (goats: {', '.join(goats[:2])}" in page.locator(".answer").inner_text()
    names = [name for name in page.locator("figure[data-figure=zoo] title").all_text_contents() if ": " in name]
    assert len(names) == 24
    assert "p22: goat" in names
    assert not page.locator("figure[data-figure=zoo] .ring").is_visible(), "nobody is pointed at"


def test_errors_are_sorted_and_saved(shared: Visit, scores: tuple[str, str]) -> None:
    shared.go("errors")
    page = shared.page
    page.select_option("#system", "voice")
    shared.ask()
    expected = evaluated(scores)["voice"]
    accepts, rejects = errors_above(scores[1], "voice", expected["threshold"])
    table = page.locator(".answered table").first
    assert table.locator("tbody tr").count() == accepts + rejects
    rows = list(csv.DictReader(io.StringIO(shared.saved("CSV").decode())))
    assert [row["error"] for row in rows].count("false accept") == accepts
    assert [row["error"] for row in rows].count("false reject") == rejects
    with open(scores[1], newline="") as file:
        trials = {
            (row["claim"], row["subject"], float(row["voice"])): row["label"] == "genuine"
            for row in csv.DictReader(file)
        }
    for row in rows:
        assert trials[row["claim"], row["subject"], float(row["score"])] == (row["error"] == "false reject")
        assert (float(row["score"]) < expected["threshold"]) == (row["error"] == "false reject")

    visible = "tbody tr:visible >> td:nth-child(4)"
    table.locator("th button:text-is('score')").click()
    shown = [float(text) for text in table.locator(visible).all_inner_texts()]
    everything = sorted(float(row["score"]) for row in rows)
    assert shown == pytest.approx(everything[: len(shown)], rel=1e-3), "the lowest of all, not of those shown before"
    table.locator("th button:text-is('score')").click()
    shown = [float(text) for text in table.locator(visible).all_inner_texts()]
    assert shown == pytest.approx(everything[::-1][: len(shown)], rel=1e-3)
    page.click("button:has-text('Show all')")
    assert table.locator("tbody tr:visible").count() == len(rows)


def test_reports_figures_and_tables_are_taken_away(shared: Visit, tmp_path: Path) -> None:
    shared.go("look")
    page = shared.page
    page.wait_for_selector("details.tables")
    page.wait_for_selector(".saved >> nth=1", state="attached")
    saved = tmp_path / "report.html"
    saved.write_bytes(shared.saved("Save", 0))
    report = shared.context.new_page()
    report.on("console", lambda message: shared.hear(message.text))
    report.on("pageerror", lambda error: shared.hear(str(error)))
    report.goto(saved.as_uri())
    assert report.locator("#hter").inner_text() == shared.row("face")["hter"]
    report.close()
    with shared.context.expect_page() as waiting:
        page.locator(".saved").nth(0).locator("a:text-is('Open')").click()
    opened = waiting.value
    opened.on("console", lambda message: shared.hear(message.text))
    opened.wait_for_selector("#hter")
    opened.close()
    starts = {"SVG": b"<?xml", "PNG": b"\x89PNG\r\n\x1a\n", "PDF": b"%PDF-"}
    for kind, start in starts.items():
        assert shared.saved(kind, 0, "Figure det:").startswith(start)
    assert shared.saved("PNG", 1, "Figure epc:").startswith(starts["PNG"])
    assert b"\\begin{tabular}" in shared.saved("LaTeX", 0)
    page.get_by_label("Copy the command").last.click()
    page.wait_for_selector("button:text-is('Copied')")
    assert shared.saved("PARQUET", 0).startswith(b"PAR1")
    with page.expect_download() as waiting_for_svg:
        page.click("figure[data-figure=det] button:text-is('SVG')")
    assert b"<svg" in Path(waiting_for_svg.value.path()).read_bytes()[:200]
    assert shared.heard == []


def test_a_reload_and_the_way_back_come_to_the_same_state(shared: Visit, browser: Any, address: str) -> None:
    shared.go("look")
    page = shared.page
    page.uncheck("text=iris >> input[type=checkbox]")
    page.select_option("#criterion", "wer-min")
    page.fill("#value", "0.31")
    page.keyboard.press("Enter")
    page.check("#numbers input[value=voice]")
    page.wait_for_selector("#numbers [data-figure=interval]:has-text(' to ')")
    before = {system: shared.row(system) for system in ("face", "voice")}
    page.reload()
    for system, figures in before.items():
        shared.expect_row(system, **figures)
    assert page.input_value("#value") == "0.31"
    assert page.is_checked("#numbers input[value=voice]")
    assert page.locator("#numbers tbody tr").count() == 2

    shared.go("errors")
    page.select_option("#system", "iris")
    shared.ask()
    sentence = page.locator(".answer").inner_text()
    page.reload()
    page.wait_for_selector(".answer")
    assert page.locator(".answer").inner_text() == sentence
    assert page.input_value("#system") == "iris"
    kept = page.url.partition("#")[2]

    page.go_back()
    page.wait_for_selector("nav a[data-view=look][aria-current]")
    assert page.input_value("#value") == "0.31"
    page.go_forward()
    page.wait_for_selector("nav a[data-view=errors][aria-current]")
    page.wait_for_selector(".answer")

    with visiting(browser, f"{address}#{kept}") as later:
        later.page.wait_for_selector(".answer")
        assert later.page.locator(".answer").inner_text() == sentence
        assert later.page.url.partition("#")[2] == kept


UNNAMED = """() => {
    const controls = "a[href], button, input, select, progress, summary, [role=slider], [tabindex='0']";
    const labels = node => [...(node.labels || [])].map(label => label.textContent.trim()).join("");
    const own = node => ["INPUT", "SELECT", "PROGRESS"].includes(node.tagName) ? "" : node.textContent.trim();
    return [...document.querySelectorAll(controls)]
        .filter(node => node.checkVisibility() && !(node.getAttribute("aria-label") || labels(node) || own(node)))
        .map(node => node.outerHTML);
}"""
"""Controls without a name for those who do not see them."""
CHART_SCALES = """() => [...document.querySelectorAll('svg.chart')]
    .map(svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"""
"""The scale of each chart: below 1, its text is smaller than it was made."""


def test_every_view_on_a_phone_in_the_dark(browser: Any, address: str) -> None:
    with visiting(browser, address, viewport={"width": 390, "height": 844}, has_touch=True) as visit:
        page = visit.page
        page.wait_for_selector("#read")
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.click("#theme")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
        assert page.inner_text("#theme") == "Light"
        for view in VIEWS:
            visit.go(view)
            if view == "files":
                assert page.evaluate("document.documentElement.scrollWidth") <= 390
                visit.read()
                page.wait_for_selector(".saved >> nth=1", state="attached")
            elif view in QUESTIONS:
                visit.ask()
            for away in page.locator("details.away").all():
                away.evaluate("away => { away.open = true; }")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, view
            assert page.evaluate(UNNAMED) == [], view
            assert min(page.evaluate(CHART_SCALES), default=1) >= 0.95, view
            assert page.locator(".error").count() == 0


def test_warnings_stand_under_the_answer_of_every_view(browser: Any, scores: tuple[str, str], tmp_path: Path) -> None:
    paths = [str(_negated(path, tmp_path / Path(path).name)) for path in scores]
    with served(paths) as address, visiting(browser, address) as visit:
        visit.read()
        page, warning = visit.page, visit.page.locator(".warning", has_text="lower means genuine")
        warning.wait_for()
        for view in QUESTIONS:
            if view == "evidence":
                continue  # its own words: negate the scores
            visit.go(view)
            visit.ask()
            assert warning.first.is_visible(), view
            assert page.locator(".tables .note", has_text="lower means genuine").count() == 0
        warning.first.get_by_text("Go to Files").click()
        for name in ("face", "voice", "iris"):
            page.get_by_label(f"Lower scores of {name} mean genuine").check()
        visit.read()
        page.wait_for_selector("#numbers [data-figure=interval]:has-text(' to ')")
        assert warning.count() == 0
        check_numbers(visit, (paths[0], paths[1]), "--negate")
        page.select_option("#criterion", "threshold")
        check_numbers(visit, (paths[0], paths[1]), "--negate", "--threshold", page.input_value("#value"))


def _negated(source: str, path: Path) -> Path:
    """The same scores with the other sign."""
    with open(source, newline="") as file:
        rows = list(csv.DictReader(file))
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, **{name: -float(row[name]) for name in ("face", "voice", "iris")}})
    return path


def test_a_given_threshold_begins_where_the_last_one_was(unlike: Visit) -> None:
    page = unlike.page
    unlike.go("look")
    page.select_option("#criterion", "eer")
    unlike.expect_row("wide", threshold=page.locator("[data-system=wide] [data-figure=threshold]").inner_text())
    last = {name: unlike.row(name)["threshold"] for name in ("bounded", "wide")}
    page.check("#numbers input[value=wide]")
    page.select_option("#criterion", "threshold")
    for name in ("wide", "bounded", "wide"):
        page.check(f"#numbers input[value={name}]")
        page.wait_for_selector(f"#numbers tr[data-system={name}] [data-figure=hter]")
        unlike.expect_row(name, threshold=last[name])
        assert page.input_value("#value") == last[name]
    page.select_option("#criterion", "eer")
    unlike.go("errors")
    page.select_option("#criterion", "threshold")
    page.select_option("#system", "bounded")
    from playwright.sync_api import expect

    expect(page.locator("#value")).to_have_value(last["bounded"])
    page.select_option("#criterion", "eer")
    unlike.go("look")


def test_what_is_announced_goes_without_fading(shared: Visit) -> None:
    shared.go("errors")
    shared.ask()
    looks = "(({ opacity, visibility }) => [opacity, visibility])(getComputedStyle(document.getElementById('status')))"
    shared.page.wait_for_selector("#status", state="hidden")
    assert shared.page.evaluate(looks) == ["1", "hidden"]
    assert shared.page.evaluate("document.getElementById('status').getAnimations()[0].effect.getTiming().duration") == 0


def test_one_box_saves_and_repeats_what_look_shows(shared: Visit) -> None:
    shared.go("look")
    shared.page.wait_for_selector(".saved >> nth=1", state="attached")
    assert shared.page.locator("details.away").count() == 1
    assert shared.page.locator("#main h2").count() == 0


AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
VIOLATIONS = """async () => (await axe.run()).violations.map(found =>
    `${found.id}: ${found.nodes.map(node => node.target).join(" ")}`)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_is_accessible(browser: Any, address: str, scheme: str) -> None:
    with visiting(browser, address, color_scheme=scheme, bypass_csp=True) as visit:
        for view in VIEWS:
            visit.page.wait_for_selector("nav a[data-view]")
            visit.go(view)
            if view == "files":
                visit.page.wait_for_selector("#read")
            elif view == "look":
                visit.page.wait_for_selector(".saved >> nth=1", state="attached")
            else:
                visit.ask()
            visit.page.evaluate(AXE.read_text())
            assert visit.page.evaluate(VIOLATIONS) == [], view
            if view == "files":
                visit.read()


def test_answer_interval_and_main_figure_are_on_the_first_screen(browser: Any, address: str) -> None:
    with visiting(browser, address, viewport={"width": 1280, "height": 800}) as visit:
        visit.read()
        page = visit.page
        page.wait_for_selector("#numbers [data-figure=interval]:has-text(' to ')")
        figures = ("figure[data-figure=density] svg", "figure[data-figure=det] svg")
        for selector in ("#sentence", "#numbers [data-figure=interval]", *figures):
            box = page.locator(selector).first.bounding_box()
            assert box["y"] + box["height"] <= 800, selector
        boxes = [page.locator(figure).bounding_box() for figure in figures]
        assert boxes[0]["y"] == boxes[1]["y"]
        assert boxes[0]["height"] == boxes[1]["height"]
        page.evaluate("scrollTo(0, 600)")
        assert page.locator("#criterion").bounding_box()["y"] >= 0
        for view in ("compare", "fuse", "groups"):
            visit.go(view)
            visit.ask()
            box = page.locator(".answered figure svg").first.bounding_box()
            assert box["y"] + box["height"] <= 800, view


def test_all_is_reached_by_keys(shared: Visit) -> None:
    page = shared.page
    page.keyboard.press("Tab")
    focused = "document.activeElement.id || document.activeElement.dataset.view || document.activeElement.tagName"
    assert page.evaluate(focused) == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate(focused) == "main"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(focused) == "errors"
    for _ in range(6):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("figure[data-figure=roc]")
    assert page.title() == "Look: fairtrial explorer"
    reached = []
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.getAttribute('role') || document.activeElement.id"))
    assert "criterion" in reached
    assert "slider" in reached[reached.index("region") :], "the handle of the threshold"


def test_who_uses_keys_stays_where_they_are(shared: Visit) -> None:
    shared.go("look")
    page = shared.page
    page.wait_for_selector("figure[data-figure=roc]")
    page.focus("#criterion")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("#slider")
    assert page.evaluate("document.activeElement.id") == "criterion"
    page.focus("#numbers input[value=face]")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("#numbers [data-figure=interval]:has-text(' to ')")
    assert page.evaluate("document.activeElement.value") == "voice"
    shared.go("groups")
    page.get_by_label("claim", exact=True).focus()
    page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.labels[0].textContent") == "claim"
    assert page.get_by_label("claim", exact=True).is_checked()
    shared.go("files")
    page.get_by_label("Column sex is").focus()
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Column sex is"


def test_long_work_is_stopped_and_the_page_goes_on(browser: Any, many: tuple[str, tuple[str, str]]) -> None:
    with visiting(browser, many[0]) as visit:
        visit.read()
        visit.go("compare")
        page = visit.page
        page.wait_for_selector(".work progress[value]")
        assert page.locator(".work").inner_text().startswith("Working")
        page.click(".work >> text=Stop")
        page.wait_for_selector("text=Stopped.")
        assert page.locator(".work").count() == 0, "nothing else that was asked with it goes on"
        visit.go("errors")
        visit.ask()
        assert page.locator(".answer").inner_text().startswith("face wrongly accepts ")
        assert page.locator(".answered tbody").first.locator("tr").count() == 1000


BIG = "FAIRTRIAL_BIG" in os.environ
ROWS = 10_000_000 if BIG else 200_000


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, tuple[str, str]]]:
    """An explorer of very many trials, and the files; as many as the issue asks for if FAIRTRIAL_BIG is set."""
    place = tmp_path_factory.mktemp("many")
    dev, test = (str(write_many(place / f"{name}.parquet", seed, ROWS)) for seed, name in enumerate(("dev", "test")))
    with served([dev, test]) as address:
        yield address, (dev, test)


MOVE = """async () => {
    const slider = document.getElementById("slider"), times = [];
    for (let k = 0; k < 20; k += 1) {
        const began = performance.now();
        slider.value = Number(slider.value) + 1;
        slider.dispatchEvent(new Event("input"));
        await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
        times.push(performance.now() - began);
    }
    return times;
}"""
MOVE_ON_SERVER = """async () => {
    const times = [];
    for (let k = 0; k < 20; k += 1) {
        const began = performance.now();
        await (await fetch(`api/at?threshold=${1.5 + 0.01 * k}&system=face&system=voice`)).json();
        times.push(performance.now() - began);
    }
    return times;
}"""


def test_very_many_trials(browser: Any, many: tuple[str, tuple[str, str]], capsys: pytest.CaptureFixture[str]) -> None:
    address, (dev, test) = many
    with visiting(browser, address) as visit:
        page = visit.page
        page.wait_for_selector("#read")
        began = perf_counter()
        page.click("#read")
        page.wait_for_selector("#numbers", timeout=300_000)
        read = perf_counter() - began
        page.wait_for_selector("figure[data-figure=roc]", timeout=60_000)
        drawn = perf_counter() - began - read
        look = page.evaluate("fetch('api/look').then(answer => answer.json())")
        assert all(len(system["roc"]["x"]) <= 2000 for system in look["systems"])
        page.select_option("#criterion", "wer-min")
        page.wait_for_selector("#slider:enabled")
        on_server, on_screen = (np.median(page.evaluate(script)) for script in (MOVE_ON_SERVER, MOVE))
        if BIG:
            with capsys.disabled():
                print(f"\n{ROWS:,} rows: read {read:.1f} s, then {drawn:.2f} s to the curves; median of 20 moves: "
                      f"{on_server:.0f} ms on the server, {on_screen:.0f} ms to the screen")  # fmt: skip
        alpha = page.input_value("#value")
        result = answer_of("evaluate", "--dev", dev, "--test", test, "--criterion", "wer-min", "--alpha", alpha)
        for system in result["systems"]:
            low, high = (percent(system["test"]["interval"][end]) for end in ("low", "high"))
            figures = {name: percent(system["test"][name]) for name in ("far", "frr", "hter")}
            visit.expect_row(system["system"], **figures, interval=f"{low} to {high}")


@pytest.fixture(scope="module")
def unlike(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """A visit of two systems with the same order of scores: one saturated, one a hundred times as wide."""
    folder = tmp_path_factory.mktemp("unlike")
    for seed, name in enumerate(("dev", "test")):
        rng = np.random.default_rng(seed)
        raw = np.concatenate([rng.normal(2.5, 1, 300), rng.normal(-2.5, 1, 3000)])
        rows = (f"{'genuine' if k < 300 else 'impostor'},{np.tanh(3 * x)},{100 * x}" for k, x in enumerate(raw))
        (folder / f"{name}.csv").write_text("label,bounded,wide\n" + "\n".join(rows) + "\n")
    with served([str(folder / "dev.csv"), str(folder / "test.csv")]) as address, visiting(browser, address) as visit:
        visit.read()
        visit.go("look")
        yield visit


@pytest.mark.parametrize(("system", "label"), [("bounded", "density, square-root scale"), ("wide", "density")])
def test_saturated_scores_have_a_scale_that_shows_them(unlike: Visit, system: str, label: str) -> None:
    unlike.page.check(f"#numbers input[value={system}]")
    unlike.page.wait_for_selector(f"figure[data-figure=density] text:text-is('{label}')")


def test_the_roc_shows_the_part_where_the_curve_is(unlike: Visit) -> None:
    unlike.page.wait_for_selector("figure[data-figure=roc] svg")
    ticks = unlike.page.locator("figure[data-figure=roc] g[font-variant=tabular-nums]").all()
    across, upwards = ([float(text) for text in each.locator("text").all_text_contents()] for each in ticks)
    assert max(across) < 50
    assert min(upwards) > 50


def test_a_threshold_is_that_of_systems_with_the_same_scale_of_scores(unlike: Visit) -> None:
    page = unlike.page
    page.check("#numbers input[value=wide]")
    page.select_option("#criterion", "threshold")
    for chosen, other in (("wide", "bounded"), ("bounded", "wide")):
        page.check(f"#numbers input[value={chosen}]")
        page.wait_for_selector(f"#numbers tr[data-system={chosen}] [data-figure=hter]")
        page.wait_for_selector(f"#numbers tr[data-system={other}] td.note")
    page.select_option("#criterion", "eer")


@pytest.mark.parametrize(("start", "key", "end"), [("250", "ArrowUp", "260"), ("0.5", "ArrowDown", "0.49")])
def test_an_arrow_key_changes_the_second_digit_of_a_threshold(unlike: Visit, start: str, key: str, end: str) -> None:
    page = unlike.page
    page.select_option("#criterion", "threshold")
    page.fill("#value", start)
    page.press("#value", key)
    assert page.input_value("#value") == end
    page.select_option("#criterion", "eer")
