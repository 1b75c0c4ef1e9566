"""The page of a fusion."""

from dataclasses import replace
from datetime import date

from fairtrial import apply_fusion, fuse
from fairtrial.report.fusion import applied_page, fusion_page
from fairtrial.report.page import Repeat, render
from report.pages import EVIL, REPEAT, check_self_contained, two_systems


def test_page_shows_the_fusion_beside_its_systems() -> None:
    result = fuse(two_systems(0), two_systems(1))
    page = fusion_page(result, REPEAT)
    assert [view["name"] for view in page.explore["systems"]] == [f"mean(face + {EVIL})", "face", EVIL]
    assert f"{100 * result.evaluation.test.hter:.2f} %" in page.answer[0]
    assert "of its systems" in page.answer[1]
    assert "percentage points (95 % interval" in page.answer[1]
    text = render(page)
    check_self_contained(text)
    assert "<caption>Gain of the fusion</caption>" in text
    assert text.count("FRR at FAR 0.1 %") == 3


def test_saved_fusion_has_a_page_without_anything_to_move() -> None:
    model = fuse(two_systems(0), two_systems(1)).model
    page = applied_page(apply_fusion(model, two_systems(2)), REPEAT)
    assert page.explore == {}
    text = render(page)
    check_self_contained(text)
    assert 'id="epc"' not in text
    assert "thresholds saved with it" in text


def test_date_and_title() -> None:
    result = fuse(two_systems(0), two_systems(1))
    repeat = Repeat("fairtrial fuse", {}, made=date(2026, 3, 5))
    text = render(replace(fusion_page(result, repeat), heading="<Face> & voice"))
    assert '<time datetime="2026-03-05">5 March 2026</time>' in text
    assert "<h1>&lt;Face&gt; &amp; voice</h1>" in text
    assert "Fusion of face and" in text
    assert "<time" not in render(fusion_page(result, REPEAT))
