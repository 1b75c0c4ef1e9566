"""The charts that reports and the explorer share, in a real browser that forbids styles and scripts within the page."""

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fairtrial.figures.axes import linear_axis
from fairtrial.pages.page import CHART_SCRIPTS, read
from pages.pages import EVIL

SVG = "{http://www.w3.org/2000/svg}"
HOME = "http://charts.test/"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:"
KINDS = {"js": "text/javascript", "css": "text/css"}
UNIT = linear_axis("share", (0.0, 1.0))
WIDE = linear_axis("score", (-4.0, 4.0))


def page_text() -> str:
    scripts = "".join(f'<script src="{name}"></script>' for name in CHART_SCRIPTS)
    return f'<!doctype html><title>charts</title><link rel="stylesheet" href="charts.css">{scripts}<main></main>'


def answer(route: Any) -> None:
    """What a server with a strict policy gives."""
    name = route.request.url.removeprefix(HOME)
    text, kind = (read(name), KINDS[name.rpartition(".")[2]]) if name else (page_text(), "text/html")
    route.fulfill(body=text, headers={"Content-Type": kind, "Content-Security-Policy": POLICY})


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of charts, on which nothing may be complained about."""
    page = browser.new_page(viewport={"width": 600, "height": 500})
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.route(f"{HOME}**", answer)
    page.goto(HOME)
    yield page
    assert heard == []
    page.close()


def draw(page: Any, kind: str, data: dict[str, Any], options: dict[str, Any] | None = None) -> None:
    """A chart alone on the page, which scripts can call `chart`."""
    page.evaluate(
        """([kind, data, options]) => {
            window.chosen = [];
            if (options.onThreshold) options.onThreshold = (value) => window.chosen.push(value);
            window.chart = charts[kind](data, options);
            document.querySelector("main").replaceChildren(chart.node);
        }""",
        [kind, data, {"label": f"a {kind}", **(options or {})}],
    )


def place(dot: Any) -> list[float]:
    return [float(dot.get_attribute(name)) for name in ("cx", "cy")]


def curves(count: int, points: int) -> list[dict[str, Any]]:
    at = [k / (points - 1) for k in range(points)]
    return [{"name": f"{EVIL} {n}", "x": at, "y": [0.5 + math.sin(9 * x + n) / 3 for x in at]} for n in range(count)]


def drawings() -> dict[str, dict[str, Any]]:
    """Data of every chart: some with gaps, some with a single point."""
    first, second = curves(2, 5)
    odds = [-2.0, 0.0, 2.0]
    band = {"at": odds, "low": [0.1, 0.1, 0.1], "high": [0.3, 0.5, None]}
    priors = {"x": WIDE, "y": UNIT, "odds": odds, "chosen": "a", "calibrated": [0.2, 0.4, None], "minimum": [0.1] * 3}
    others = [{"name": "a", "y": [0.2, 0.4, None]}, {"name": EVIL, "y": [0.3, 0.3, 0.3]}]
    known = {"band": band, "others": others}
    return {
        "epc": {"x": UNIT, "y": UNIT, "chosen": first, "others": [first, second]},
        "det": {"x": WIDE, "y": WIDE, "chosen": {"name": "a", "x": [0.0], "y": [0.0]}},
        "roc": {"x": UNIT, "y": UNIT, "chosen": first, "others": [first, second]},
        "density": {"scores": WIDE, "top": 1.0, "genuine": [0.0, 0.5, 1.0], "impostor": [1.0, 0.5, 0.0]},
        "rates": {"axis": {"label": "FAR", "low": -3.0, "high": 0.0, "ticks": []}, "names": ["a", EVIL], "chosen": 0},
        "differences": {
            "x": WIDE,
            "pairs": [
                {"name": EVIL, "estimate": 1.0, "low": 0.5, "high": 2.0, "sure": True},
                {"name": EVIL, "estimate": 1.0, "low": -0.5, "high": 2.0, "sure": False},
            ],
        },
        "pooled": {
            "x": UNIT,
            "y": UNIT,
            "curves": [
                {"name": EVIL, "alpha": [0, 1], "hter": [0.1, 0.2], "colour": 0, "dashes": [], "bold": True},
                {"name": "b", "alpha": [0, 1], "hter": [0.2, 0.1], "colour": 6, "dashes": [5, 1], "bold": False},
            ],
        },
        "coverage": {
            "cells": [[50, 2, 0.1, 0.1], [100, 2, 0.1, 0.1]],
            "values": [0.9, 0.95],
            "classes": [0, 1],
            "legend": [["#fde725", "low"], ["#440154", "high"]],
        },
        "zoo": {
            "x": WIDE,
            "y": WIDE,
            "kinds": [
                {"name": name, "colour": f"var(--c{k})", "symbol": k} for k, name in enumerate(("sheep", "goats", EVIL))
            ],
            "points": [
                {"x": 1, "y": 1, "name": "ann", "kind": "sheep"},
                {"x": -1, "y": 1, "name": EVIL, "kind": "goats"},
                {"x": 1, "y": None, "name": "nobody", "kind": "goats"},
            ],
        },
        "bayes": {**priors, **known, "supported": [1, 1, 0]},
        "ece": {**priors, **known, "neutral": [0.5, 1.0, 0.5]},
        "tippett": {"x": WIDE, "y": UNIT, "genuine": [1.0, 0.5, 0.0], "impostor": [1.0, 0.2, 0.0]},
        "pav": {"x": WIDE, "y": WIDE, "at": [-4, 0, 4], "steps": [-1, 1], "places": [-4, 4], "low": [-2], "high": [2]},
        "map": {"scores": WIDE, "y": WIDE, "llr": [-3, 0, 3], "low": [-4, -1, 2], "high": [-2, 1, 4]},
    }


@pytest.fixture
def empty() -> dict[str, dict[str, Any]]:
    """Charts of nothing."""
    none = {"name": "a", "x": [], "y": []}
    nothing: dict[str, Any] = {"x": WIDE, "y": UNIT}
    return {
        "epc": {**nothing, "chosen": none, "others": [none, none]},
        "det": {**nothing, "chosen": none},
        "density": {"scores": WIDE, "top": 1.0, "genuine": [0.0], "impostor": [0.0]},
        "rates": {"axis": WIDE, "names": [], "chosen": -1},
        "differences": {"x": WIDE, "pairs": []},
        "pooled": {**nothing, "curves": [], "regions": []},
        "zoo": {**nothing, "kinds": [], "points": []},
    }


def test_every_chart_is_drawn_under_a_strict_policy(page: Any, empty: dict[str, dict[str, Any]]) -> None:
    assert set(drawings()) | {"evidence", "save"} == set(page.evaluate("Object.keys(charts)"))
    for kind, data in [*drawings().items(), *empty.items()]:
        draw(page, kind, data)
        page.evaluate("chart.move({x: 0.5, y: null, threshold: null, all: 0.1, rows: []})")
        node = page.locator("main > svg.chart")
        assert node.get_attribute("role") == "img"
        assert node.get_attribute("aria-label") == f"a {kind}"
        assert page.locator("main style, main [style], main script").count() == 0
        assert "NaN" not in node.inner_html(), kind
    draw(page, "epc", drawings()["epc"])
    sizes = page.evaluate("[chart.node.getBoundingClientRect().width, document.querySelector('main').clientWidth]")
    assert sizes[0] == sizes[1]  # the style sheet holds


def test_a_move_leaves_the_curves_as_they_are(page: Any) -> None:
    many = curves(14, 2000)
    draw(page, "epc", {"x": UNIT, "y": UNIT, "chosen": many[3], "others": many, "band": None})
    assert sorted(page.locator("text.name title").all_text_contents()) == sorted(curve["name"] for curve in many)
    heights = sorted(text.bounding_box()["y"] for text in page.locator("text.name").all())
    assert all(b - a > 8 for a, b in pairwise(heights))
    changed = page.evaluate(
        """() => {
            chart.move({x: 0, y: 0, others: [{x: 0, y: 1}]});
            const seen = new MutationObserver(() => {});
            seen.observe(chart.node, {subtree: true, childList: true, attributes: true});
            chart.move({x: 0.25, y: 0.5, others: [{x: 0.25, y: 0.75}]});
            return seen.takeRecords().map(({target}) => target.getAttribute("class"));
        }"""
    )
    assert set(changed) == {"marker", "point", "elsewhere"}
    width, height = 420 - 48 - 10, 300 - 8 - 39
    assert place(page.locator(".point")) == pytest.approx([48 + width / 4, 8 + height / 2])
    assert place(page.locator(".elsewhere")) == pytest.approx([48 + width / 4, 8 + height / 4])


def test_gaps_stay_open_and_a_single_point_is_seen(page: Any) -> None:
    curve = {"name": "a", "x": [0.1, 0.2, 0.3, 0.4, 0.5], "y": [0.1, 0.2, None, 0.4, 0.5]}
    draw(page, "epc", {"x": UNIT, "y": UNIT, "chosen": curve})
    assert page.locator(".curve path").get_attribute("d").count("M") == 2
    draw(page, "det", drawings()["det"])
    assert page.evaluate("getComputedStyle(document.querySelector('.curve path')).strokeLinecap") == "round"


def test_where_a_system_is_better_is_shaded_and_named(page: Any) -> None:
    first, second = names = ("first", EVIL)
    lines = [
        {"name": name, "alpha": [0, 1], "hter": [0.1, 0.2], "colour": colour, "dashes": [], "bold": False}
        for colour, name in enumerate(names)
    ]
    regions = [{"from": 0.0, "to": 0.25, "better": first}, {"from": 0.5, "to": 1.0, "better": second}]
    draw(page, "pooled", {"x": UNIT, "y": UNIT, "curves": lines, "regions": regions})
    narrow, wide = page.locator(".tint rect").all()
    assert float(wide.get_attribute("width")) == pytest.approx((640 - 248) / 2, abs=1)
    assert float(wide.get_attribute("width")) == pytest.approx(2 * float(narrow.get_attribute("width")), abs=1)
    assert [each.get_attribute("fill") for each in page.locator(".tint").all()] == ["var(--c0)", "var(--c1)"]
    assert wide.text_content() == f"{second} is significantly better"
    assert page.locator("text.name title").all_text_contents() == [first, second]


def test_the_threshold_is_moved_by_keys(page: Any) -> None:
    draw(page, "density", drawings()["density"], {"onThreshold": True})
    page.evaluate("chart.move({threshold: 1})")
    assert page.locator("svg.chart").get_attribute("role") == "group"
    slider = page.get_by_role("slider", name="threshold")
    slider.focus()
    for key, expected in (("ArrowRight", 1.04), ("ArrowDown", 1.0), ("PageUp", 1.4), ("End", 4.0), ("Home", -4.0)):
        page.keyboard.press(key)
        assert float(slider.get_attribute("aria-valuenow")) == pytest.approx(expected)
    assert page.evaluate("chosen") == pytest.approx([1.04, 1.0, 1.4, 4.0, -4.0])
    assert slider.get_attribute("aria-valuetext") == "-4"
    assert [slider.get_attribute(f"aria-value{end}") for end in ("min", "max")] == ["-4", "4"]
    page.keyboard.press("a")
    assert len(page.evaluate("chosen")) == 5


def test_the_threshold_is_dragged_and_stays_on_its_axis(page: Any) -> None:
    draw(page, "density", drawings()["density"], {"onThreshold": True})
    page.evaluate("chart.move({threshold: 0})")
    box = page.locator("svg.chart").bounding_box()
    unit = box["width"] / 420

    def at(score: float) -> float:
        return float(box["x"] + unit * (48 + 362 * (score + 4) / 8))

    page.mouse.move(at(0) + 5, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(at(2), box["y"] + 120)
    assert page.evaluate("chosen.at(-1)") == pytest.approx(2, abs=0.05)
    page.mouse.move(at(9), box["y"] + 120)
    page.mouse.up()
    assert page.evaluate("chosen.at(-1)") == 4
    line = page.locator(".threshold").get_attribute("d")
    assert line.startswith("M410 ")
    page.evaluate("chart.move({threshold: null})")
    assert not page.get_by_role("slider").is_visible()


def test_a_chart_is_saved_as_it_looks_and_without_its_handle(page: Any, tmp_path: Path) -> None:
    draw(page, "density", drawings()["density"], {"onThreshold": True})
    page.evaluate("chart.move({threshold: 0})")
    for kind in ("svg", "png"):
        with page.expect_download() as waited:
            page.evaluate("(kind) => charts.save(chart.node, 'scores', kind)", kind)
        assert waited.value.suggested_filename == f"scores.{kind}"
        waited.value.save_as(tmp_path / f"scores.{kind}")
    saved = ElementTree.parse(tmp_path / "scores.svg").getroot()
    lines = [path.get("stroke-dasharray") for path in saved.iter(f"{SVG}path")]
    assert lines.count("6px, 2px") == 1  # impostors
    assert len(lines) == 3
    assert saved.get("role") == "img"
    assert not [each for each in saved.iter() if each.get("class") or each.get("style")]
    assert (tmp_path / "scores.png").read_bytes().startswith(b"\x89PNG")


def test_people_of_a_zoo_have_a_colour_and_a_symbol_by_kind(page: Any) -> None:
    data = drawings()["zoo"]
    draw(page, "zoo", data)
    people = page.locator(".person")
    assert people.locator("title").all_text_contents() == ["ann: sheep", f"{EVIL}: goats"]
    assert [people.nth(k).get_attribute("fill") for k in range(2)] == ["var(--c0)", "var(--c1)"]
    assert people.nth(0).locator("circle").count() == people.nth(1).locator("path").count() == 1
    assert page.locator("text > title").all_text_contents() == [kind["name"] for kind in data["kinds"]]
    keys = page.locator(".key").all()
    assert len({key.get_attribute("fill") for key in keys}) == len({key.get_attribute("d") for key in keys}) == 3
    assert "none" not in [key.evaluate("key => getComputedStyle(key).fill") for key in keys]
    page.evaluate("chart.move({x: 1, y: 1})")
    ring, person = page.locator(".ring"), people.nth(0).locator("circle")
    assert place(ring) == place(person)
    page.evaluate("chart.move({})")
    assert not ring.is_visible()


def test_charts_are_drawn_no_wider_than_a_phone_and_without_labels_on_marks(page: Any) -> None:
    for kind, data in drawings().items():
        draw(page, kind, data, {"room": 360})
        assert page.locator("main > svg").get_attribute("viewBox").split()[2] == "360", kind
        assert page.locator("main > svg [aria-label]:not([role])").count() == 0, kind


def test_the_label_of_differences_fits_on_a_phone(page: Any) -> None:
    differences = drawings()["differences"]
    axis = {**differences["x"], "label": "difference A - B in HTER, percentage points"}
    draw(page, "differences", {**differences, "x": axis}, {"room": 350})
    beyond = page.evaluate(
        """(() => {
            const end = (node) => node.getBoundingClientRect().right;
            return [...chart.node.querySelectorAll("text")].filter((text) => end(text) > end(chart.node)).length;
        })()"""
    )
    assert beyond == 0


def test_many_groups_stand_closer_together_and_stay_legible(page: Any) -> None:
    names = [f"group {k}" for k in range(30)]
    draw(page, "rates", {"axis": WIDE, "names": names, "chosen": -1})
    height = float(page.locator("main > svg").get_attribute("viewBox").split()[3])
    assert 11 * len(names) < height < 460  # the explorer draws it no higher
