"""Numbers and words as people read them."""

from __future__ import annotations

from math import inf, nan

import pytest

from fairtrial.core.errors import ParameterError
from fairtrial.core.words import (
    Text,
    bound_text,
    count_text,
    in_percent,
    interval_text,
    latex_text,
    markdown_text,
    number_text,
    p_phrase,
    p_text,
    percent,
    plural,
    sure_text,
    term,
    threshold_text,
    wording,
)


def test_terms_are_those_of_the_wording() -> None:
    text = Text(
        "{a FAR}, {an FRR}, {one:plural false reject}, {two:plural false accept} of {name}", one=1, two=2, name="FAR"
    )
    assert str(text) == "a FAR, an FRR, 1 false reject, 2 false accepts of FAR"
    with wording(terms="iso"):
        assert str(text) == "an FMR, an FNMR, 1 false non-match, 2 false matches of FAR"
        assert [term(name) for name in ("FAR", "FRRs", "HTER", "far")] == ["FMR", "FNMRs", "HTER", "far"]
    assert term("FAR") == "FAR"
    with pytest.raises(ParameterError), wording(terms="nist"):  # type: ignore[arg-type]
        pass


def test_options_are_spelled_for_python_or_for_a_shell() -> None:
    text = Text("use {nan!o}, {columns!o} or {n_resamples!p}", nan="drop", columns={"label": "L"}, n_resamples=None)
    assert str(text) == 'use nan="drop", columns={"label": "L"} or n_resamples'
    with wording(style="shell"):
        assert str(text) == "use --nan drop, --column label=L or --resamples"


def test_values_are_written_as_the_template_says() -> None:
    text = Text("{rate:percent}, {p:p}, {names:and}, {count:plural person/people}, {level:level}", rate=0.0123, p=1e-9,
                names=["a", "b", "c"], count=1200, level=0.95)  # fmt: skip
    assert str(text) == "1.23 %, p < 0.0001, a, b and c, 1,200 people, 95 %"
    with pytest.raises(KeyError):
        str(Text("{missing}"))


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(0, "0.000"), (-0.0, "0.000"), (0.5, "50.00"), (0.005, "0.500"), (0.0009951, "0.0995"), (0.0009996, "0.100"),
     (0.00012345, "0.0123"), (0.0008, "0.0800"), (0.0099999, "1.00"), (0.00001, "0.00100"),
     (-0.02, "-2.00"), (nan, "")],
)  # fmt: skip
def test_rates_in_percent(rate: float, shown: str) -> None:
    assert in_percent(rate) == shown
    assert percent(rate) == (f"{shown} %" if shown else "")


def test_p_is_never_shown_as_zero() -> None:
    assert [p_text(p) for p in (0.0, 1e-300, 0.00009999, 0.0001, 0.05, 1.0, nan)] == [
        "< 0.0001", "< 0.0001", "< 0.0001", "0.0001", "0.05", "1", "",
    ]  # fmt: skip
    assert (p_phrase(0.0), p_phrase(0.25)) == ("p < 0.0001", "p = 0.25")


def test_confidence_is_never_shown_as_certainty() -> None:
    assert [sure_text(share) for share in (1.0, 0.99991, 0.9999, 0.5, 0.00009, 0.0, nan)] == [
        "> 99.99", "> 99.99", "99.99", "50.00", "< 0.01", "< 0.01", "",
    ]  # fmt: skip


def test_bounds_show_where_they_differ() -> None:
    assert (bound_text(0.0123456, True), bound_text(0.0123457, True)) == ("1.23456 %", "1.23457 %")
    assert (bound_text(0.5, False), bound_text(nan, True)) == ("0.5", "")


def test_other_numbers() -> None:
    assert interval_text(-0.001, 0.1) == "-0.100 to 10.00"
    assert interval_text(nan, 0.1) == ""
    assert [count_text(n) for n in (0, 999, 1234567, nan)] == ["0", "999", "1,234,567", ""]
    assert (number_text(1234.56), number_text(0.00001234), number_text(nan)) == ("1235", "1.234e-05", "")
    assert (threshold_text(0.1234567), threshold_text(-inf)) == ("0.123457", "-inf")
    assert [plural(n, "error") for n in (0, 1, 1000)] == ["0 errors", "1 error", "1,000 errors"]


def test_text_that_would_be_markup() -> None:
    assert latex_text("\\a{b}^~#$|\n c") == (
        "\\textbackslash{}a\\{b\\}\\textasciicircum{}\\textasciitilde{}\\#\\$\\textbar{} c"
    )
    assert markdown_text("*a* `b` [c](d) | e\nf\\") == "\\*a\\* \\`b\\` \\[c\\](d) \\| e f\\\\"
