"""The page in a real browser: no errors, nothing asked of the network, everything moves together."""

import re
import struct
from dataclasses import replace
from itertools import pairwise
from math import log10
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fairtrial import calibrate, compare, evaluate, evaluate_groups, fuse, run_benchmark
from fairtrial.benchmark import load_lausanne
from fairtrial.core.words import percent
from fairtrial.evaluation import expected_performance
from fairtrial.figures.axes import COVERAGE_COLOURS
from fairtrial.groups import synthetic_groups
from fairtrial.inference import make_blocks
from fairtrial.pages import page_of
from fairtrial.pages.page import write_report
from fairtrial.repeated import Grid, coverage_study
from pages.pages import AXE, EVIL, REPEAT, count_scripts, two_systems

PAGES = ("calibration", "evaluation", "comparison", "folds", "benchmark", "coverage", "groups", "fusion", "curves")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("pages")
    dev, test = two_systems(0), two_systems(1)
    results = evaluate(dev, test)
    blocks = make_blocks(dev, 4)
    lausanne = load_lausanne()
    lp1 = lausanne.sets[0]
    run = run_benchmark(lausanne, keep_scores=True)
    study = coverage_study(Grid((50, 100), (2, 5), (0.05, 0.1), (0.1, 0.2)), data_sets=50)
    grouped = synthetic_groups({"a": 20, EVIL: 15, "none": 2}, worse={EVIL: 5.0}, impostors=15)
    made = {
        "calibration": page_of(calibrate(dev, test, cluster="none")),
        "evaluation": page_of(results),
        "comparison": page_of(compare(dev, test, n_resamples=50)),
        "four": page_of(compare(lp1.dev, lp1.test, systems=lp1.test.systems[:4], n_resamples=50)),
        "folds": page_of(evaluate(dev, folds=blocks, systems="face")),
        "benchmark": page_of(run),
        "coverage": page_of(study),
        "groups": page_of(evaluate_groups(grouped.dev, grouped.test, by="group")),
        "fusion": page_of(fuse(dev, test, fusion="mean")),
        "curves": page_of(expected_performance(dev, test, bands="pointwise", compare=dev.systems, no_areas=True)),
    }
    for name, page in made.items():
        write_report(replace(page, repeat=REPEAT), place / f"{name}.html")
    return {name: place / f"{name}.html" for name in made}


def opened(browser: Any, path: Path, width: int = 1280, scheme: str = "light") -> tuple[Any, list[str]]:
    """A page, and whatever it complains about or asks of the network."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: heard.append(request.url) if request.url[:5] not in ("file:", "data:") else None)
    page.goto(path.as_uri())
    return page, heard


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_page_opens_without_error_or_request_at_any_width(
    browser: Any, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    page, heard = opened(browser, pages[name], width, scheme)
    assert heard == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").count() == 1
    page.close()


def positions(page: Any) -> dict[str, str]:
    panels = ("epc", "det", "density")
    places = {name: page.locator(f"#{name}").get_attribute("data-at") for name in panels}
    return places | {name: page.locator(f"#{name}").inner_text() for name in ("threshold", "far", "frr", "hter")}


def test_slider_moves_all_panels_together(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["evaluation"])
    before = positions(page)
    page.locator("#alpha").focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    after = positions(page)
    assert [name for name in before if before[name] == after[name]] == []
    data = page.evaluate("JSON.parse(document.getElementById('data').textContent)")
    view = {**data["shared"], **data["systems"][0]}
    assert after["epc"] == str(view["alpha"][80])
    assert after["det"] == f"{view['far'][80]:.15g},{view['frr'][80]:.15g}"
    assert float(after["threshold"]) == pytest.approx(view["threshold"][80], rel=1e-4)
    assert page.locator("#interval").inner_text().startswith(f"{100 * view['low'][80]:.2f}"[:4])
    page.locator("#asked").click()
    assert positions(page) == before
    assert heard == []
    page.close()


def test_slider_moves_all_groups(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["groups"])
    data = page.evaluate("JSON.parse(document.getElementById('data').textContent)")
    assert page.locator("label[for=system]").inner_text().startswith("Group")
    for rate, shown in data["rates"].items():
        lows = [group["limits"][rate]["asked"][0] * (group["asked"][rate] > 0) for group in data["systems"]]
        arrows = page.locator(f"figure:has(#rates-{rate}) .arrows")
        assert arrows.is_visible() == (min(lows) < 10 ** shown["axis"]["low"])
    for keys, k in (("", None), ("ArrowRight", 90), ("Home", 0)):
        page.locator("#alpha").focus()
        for _ in range(40 if keys == "ArrowRight" else bool(keys)):
            page.keyboard.press(keys)
        for rate in ("far", "frr"):
            shown = [group["asked"][rate] if k is None else group[rate][k] for group in data["systems"]]
            at = page.locator(f"#rates-{rate}").get_attribute("data-at")
            assert [float(value) for value in at.split(",")] == pytest.approx(shown)
            assert page.locator(f"#rates-{rate} circle").count() == sum(value > 0 for value in shown)
            assert page.locator(f"#rates-{rate} .span").count() == len(shown) == 3
        assert page.locator("#det circle.elsewhere").count() == 2
    places = page.locator("#rates-far circle").evaluate_all("found => found.map((dot) => +dot.getAttribute('cx'))")
    low, high = data["rates"]["far"]["axis"]["low"], data["rates"]["far"]["axis"]["high"]
    share = [(log10(group["far"][0]) - low) / (high - low) for group in data["systems"]]
    assert places == pytest.approx([130 + 366 * part for part in share])
    assert heard == []
    page.close()


def test_prior_moves_through_the_figures_of_evidence(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["calibration"])
    panels = ("bayes", "ece", "tippett")

    def places() -> list[str]:
        return [str(page.locator(f"#{name}").get_attribute("data-at")) for name in panels]

    before = places()
    assert page.locator("#prior").inner_text() == "0.5"
    page.locator("#odds").focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    shown = page.evaluate("JSON.parse(document.getElementById('data').textContent).evidence")
    system, k = shown["systems"][0], 25
    odds = shown["log_odds"][k]
    assert odds == -2
    assert places() == [f"-2,{system['bayes']['calibrated'][k]:.15g}", f"-2,{system['ece']['calibrated'][k]:.15g}", "2"]
    assert [a for a, b in zip(before, places(), strict=True) if a == b] == []
    assert float(page.locator("#prior").inner_text()) == pytest.approx(0.1192, abs=1e-4)
    assert page.locator("#accepted").inner_text() == "2"
    assert float(page.locator("#bayes-now").inner_text()) == pytest.approx(system["bayes"]["calibrated"][k], rel=1e-3)
    assert sorted(page.locator("#bayes text.name title").all_text_contents()) == sorted(["face", EVIL])
    curve = page.locator("#llr-map .curve path").get_attribute("d")
    page.locator("#calibrated").select_option(index=1)
    assert page.locator("#llr-map .curve path").get_attribute("d") != curve
    for panel in ("bayes", "ece", "pav", "llr-map"):
        assert page.locator(f"#{panel} .band path").count() == 1
    assert heard == []
    page.close()


def test_page_of_folds_has_no_single_threshold_along_alpha(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["folds"])
    assert float(page.locator("#threshold").inner_text())
    page.locator("#alpha").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#threshold").inner_text() == "one per block"
    assert "from other folds" in page.locator("#explore").inner_text()
    assert heard == []
    page.close()


@pytest.mark.parametrize(
    "rate", [0.0, 0.000123456, 0.0003125, 0.0008, 0.00099, 0.00331, 0.0099999, 0.0250001, 0.15625, 0.5, 1.0]
)
def test_browser_and_tables_write_rates_alike(browser: Any, pages: dict[str, Path], rate: float) -> None:
    page, _ = opened(browser, pages["evaluation"])
    assert page.evaluate(f"tables.percent({rate!r})") == percent(rate)
    page.close()


def test_choosing_another_system_changes_the_figures(browser: Any, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["benchmark"])
    before = positions(page)
    page.locator("#system").select_option(index=7)
    assert positions(page)["hter"] != before["hter"]
    assert page.locator("#system option").count() == 32
    page.close()


def test_tables_sort_by_number_and_by_word(browser: Any, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["benchmark"])
    assert not page.locator("table.sortable").first.is_visible()
    page.locator("details.table > summary").first.click()
    table = page.locator("table.sortable").first
    head = table.locator("th").nth(3)

    def column(k: int) -> list[str]:
        return [str(text) for text in table.locator(f"tbody tr td:nth-child({k})").all_inner_texts()]

    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    rising = [float(text) for text in column(4)]
    assert rising == sorted(rising)
    assert len(rising) == 32
    head.locator("button").click()
    assert [float(text) for text in column(4)] == sorted(rising, reverse=True)
    table.locator("th").nth(2).locator("button").click()
    assert column(3) == sorted(column(3))
    page.close()


def test_names_with_markup_are_text_in_the_browser(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["evaluation"])
    assert EVIL in page.locator("main").inner_text()
    assert EVIL in page.locator("#system").inner_text()
    page.locator("#system").select_option(index=1)
    assert heard == []
    assert page.locator("script").count() == count_scripts(charts=True)
    page.close()


def test_dark_and_light(browser: Any, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["evaluation"], scheme="dark")

    def paper() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    dark = paper()
    page.locator("#theme").click()
    assert paper() == "rgb(255, 255, 255)" != dark
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.getElementById('theme')).display") == "none"
    page.close()


def test_map_of_coverage_has_a_square_a_cell(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["coverage"])
    assert page.locator("#map rect").count() == 16
    data = page.evaluate("JSON.parse(document.getElementById('data').textContent).coverage")
    for (n, m, pi, rho), kind in zip(data["cells"], data["maps"][data["best"]]["classes"], strict=True):
        cell = page.locator("#map rect", has_text=f"n {n}, m {m}, pi {pi}, rho {rho}:")
        assert cell.get_attribute("fill") == COVERAGE_COLOURS[kind]
    page.locator("#method").select_option("dr")
    assert page.locator("#map").get_attribute("data-at") == "dr"
    assert heard == []
    page.close()


def test_grey_curves_have_names_and_the_chosen_one_stands_out(browser: Any, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["evaluation"])
    for panel in ("epc", "det"):
        titles = page.locator(f"#{panel} text.name title").all_text_contents()
        assert sorted(titles) == sorted(["face", EVIL])
        assert page.locator(f"#{panel} text.chosen title").text_content() == "face"
        boxes = [text.bounding_box() for text in page.locator(f"#{panel} text.name").all()]
        heights = sorted(box["y"] for box in boxes)
        assert all(b - a >= 8 for a, b in pairwise(heights))
    page.locator("#system").select_option(index=1)
    assert page.locator("#epc text.chosen title").text_content() == EVIL
    alone, _ = opened(browser, pages["folds"])
    assert alone.locator("#epc text.name").count() == 0
    alone.close()
    page.close()


def test_curves_are_cut_off_at_the_frame(browser: Any, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["evaluation"])
    for panel in ("epc", "det"):
        assert page.locator(f"#{panel} .curve path").count() == 1
        assert page.locator(f"#{panel} .other path").count() == 2
        for cut in page.locator(f"#{panel} g[clip-path]").filter(has=page.locator(".curve, .other")).all():
            frame = page.locator(f"#{panel} {cut.get_attribute('clip-path')[4:-1]} rect")
            assert float(frame.get_attribute("width")) > 240
        assert page.locator(f"#{panel} g[clip-path] > :is(.curve, .other)").count() == 3
    # the curve goes on below the axis, where the frame cuts it off, and does not run along it
    drawn = page.locator("#det .curve path").get_attribute("d")
    lowest = max(float(number) for number in re.findall(r",(-?[0-9.]+)", drawn))
    assert lowest > 264
    page.close()


def test_threshold_and_impostor_density_are_told_apart(browser: Any, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["evaluation"])
    look = "(path) => getComputedStyle(document.querySelector(path))"
    looks = [
        [
            page.evaluate(f"(path) => ({look})(path).{name}", f"#density .{part}")
            for name in ("stroke", "strokeDasharray")
        ]
        for part in ("first", "second", "threshold")
    ]
    assert len({colour for colour, _ in looks}) == 3
    assert looks[1][1] != looks[2][1]
    assert page.locator("#density text", has_text="threshold").count() == 1
    page.close()


def test_figures_are_saved_as_svg_and_png(browser: Any, pages: dict[str, Path], tmp_path: Path) -> None:
    page, heard = opened(browser, pages["comparison"])
    for panel, kind in (("epc", "svg"), ("epc", "png"), ("differences", "svg"), ("density", "png")):
        with page.expect_download() as waited:
            page.locator(f"button[data-save={panel}][data-as={kind}]").click()
        assert waited.value.suggested_filename == f"{panel}.{kind}"
        waited.value.save_as(tmp_path / f"{panel}.{kind}")
    assert heard == []
    saved = ElementTree.parse(tmp_path / "epc.svg").getroot()
    curve = saved.find(".//{http://www.w3.org/2000/svg}g/{http://www.w3.org/2000/svg}path[@stroke-width='2px']")
    assert curve is not None
    assert curve.get("stroke") == "rgb(0, 114, 178)"
    width = int(float(page.locator("#epc").get_attribute("viewBox").split()[2]))
    assert (saved.get("width"), saved.get("height")) == (str(width), "300")
    data = (tmp_path / "epc.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">II", data[16:24]) == (3 * width, 3 * 300)
    page.close()


def test_differences_are_drawn_with_their_intervals(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["comparison"])
    pairs = page.evaluate("JSON.parse(document.getElementById('data').textContent).differences.pairs")
    assert page.locator("#differences circle").count() == len(pairs) == 1
    assert page.locator("#differences .span line").count() == 1
    assert "95 % interval" in page.locator("#answer").inner_text()
    assert heard == []
    page.close()


def test_first_paint_comes_at_once(browser: Any, pages: dict[str, Path]) -> None:
    # that it is painted at all, without any script having to wait; what was measured is in docs/report.md
    page, _ = opened(browser, pages["benchmark"])
    page.screenshot()
    painted = page.evaluate("performance.getEntriesByType('paint').map((entry) => entry.name)")
    assert "first-contentful-paint" in painted
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_are_accessible(browser: Any, pages: dict[str, Path], width: int) -> None:
    for path in pages.values():
        page, _ = opened(browser, path, width)
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        report = page.evaluate("axe.run()")
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in report["violations"]] == [], path.name
        page.close()


@pytest.mark.parametrize("name", [*PAGES, "four"])
def test_answer_and_main_figure_are_on_the_first_screen(browser: Any, pages: dict[str, Path], name: str) -> None:
    page, _ = opened(browser, pages[name])
    main = page.locator(".panels svg.chart, figure.wide svg.chart").first
    numbers = page.locator(".numbers dd").first
    for part, screen in ((page.locator("#answer"), 420), (main, 800)):  # with up to three warnings
        box = part.bounding_box()
        assert box["y"] + box["height"] <= screen
    assert float(numbers.evaluate("each => parseFloat(getComputedStyle(each).fontSize)")) >= 30
    heights = {round(each.bounding_box()["height"]) for each in page.locator(".panels").last.locator("svg.chart").all()}
    assert len(heights) <= 1
    page.close()


def test_answer_is_copied_and_cited(browser: Any, pages: dict[str, Path]) -> None:
    page, heard = opened(browser, pages["comparison"])
    page.locator(".cite summary").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".cite summary").click()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("button[data-copy=quote]").click()
    page.locator("#copied", has_text="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#quote").inner_text().strip()
    citation = page.locator("#citation").text_content()
    assert citation.startswith("@misc{fairtrial-")
    assert heard == []
    page.close()
