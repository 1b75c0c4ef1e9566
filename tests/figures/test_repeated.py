"""Figures of coverage studies, fits and plans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fairtrial import FairtrialError, Individuals, plan_comparison, plan_rate, write_tables, write_trials
from fairtrial.core.trials import Trials
from fairtrial.figures.axes import coverage_classes
from fairtrial.figures.repeated import (
    CoveredCell,
    choose_rows,
    coverage_map,
    coverage_plot,
    fit_plot,
    hook_plot,
    plan_plot,
    power_curve,
    power_plot,
    read_study,
)
from fairtrial.repeated import CoverageStudy, draw_individuals, fit_test
from figures.drawn import caption, refused


def test_map_has_each_cell_in_its_place(study: CoverageStudy) -> None:
    coverage = coverage_map(study.rows, "lbb")
    assert coverage.squares.shape == (3 * 2, 2 * 2)
    for row in study.rows:
        if row.method == "lbb":
            line = coverage.m.index(row.m) * 2 + coverage.rho.index(row.rho)
            column = coverage.n.index(row.n) * 2 + coverage.pi.index(row.pi)
            assert coverage.squares[line, column] == row.coverage


def test_map_is_drawn_by_class(study: CoverageStudy) -> None:
    panels = coverage_plot(study.rows, methods=["lbb", "dr"], figure=Figure())
    assert [panel.get_title(loc="left") or panel.get_title() for panel in panels] == ["LBB", "DR"]
    mesh = panels[0].collections[0]
    squares = coverage_map(study.rows, "lbb").squares
    np.testing.assert_array_equal(np.ravel(mesh.get_array()), coverage_classes(squares).ravel())  # type: ignore[arg-type]
    assert [text.get_text() for text in panels[0].get_xticklabels()] == ["50", "200"]
    assert [text.get_text() for text in panels[0].get_yticklabels()] == ["2", "5", "8"]
    # eight colours that get darker, one a class, and one of its own for too high a coverage
    assert mesh.get_cmap().N == 9
    known = [row.coverage for row in study.rows if row.method == "lbb"]
    enough, right = (np.mean([0.925 <= value <= end for value in known]) for end in (1, 0.975))
    words = f"at least 92.5 %: {100 * enough:.1f} %; 92.5 to 97.5 %: {100 * right:.1f} %"
    assert coverage_map(study.rows, "lbb").summary == words
    assert f"LBB {words}" in caption("coverage", study.rows)
    shades = np.array([mesh.get_cmap()(k)[:3] for k in range(8)]) @ [0.299, 0.587, 0.114]
    assert (np.diff(shades) < 0).all()


def test_cells_that_are_not_there_stay_empty() -> None:
    rows = [CoveredCell(n, m, 0.1, 0.1, "bp", 0.9) for n, m in ((10, 2), (10, 5), (20, 2))]
    (panel,) = coverage_plot(rows, figure=Figure())
    drawn = panel.collections[0].get_array()
    assert isinstance(drawn, np.ma.MaskedArray)
    assert drawn.mask.sum() == 1
    with refused("no-such-method"):
        coverage_map(rows, "lbb")
    with refused("nothing-to-draw"):
        coverage_plot([], figure=Figure())


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "csv.gz"])
def test_study_files_read_back(study: CoverageStudy, tmp_path: Path, ending: str) -> None:
    write_tables(study.tables(), tmp_path / f"study.{ending}")
    rows = read_study(tmp_path / f"study.{ending}")
    assert [(r.n, r.m, r.pi, r.rho, r.method, r.coverage) for r in rows] == [
        (r.n, r.m, r.pi, r.rho, r.method, r.coverage) for r in study.rows
    ]


def test_other_files_are_no_study(dev: Trials, tmp_path: Path) -> None:
    write_trials(dev, tmp_path / "scores.csv")
    with pytest.raises(FairtrialError, match="expected a header with the columns n, m, pi, rho, coverage, method"):
        read_study(tmp_path / "scores.csv")
    with pytest.raises(FairtrialError, match=r"no such file|cannot be read"):
        read_study(tmp_path / "scores.txt")
    (tmp_path / "odd.csv").write_text("n,m,pi,rho,method,coverage\n10,2,.1,.1,bp,1.5\n")
    with refused("coverage"):
        read_study(tmp_path / "odd.csv")


def test_hook_lines(study: CoverageStudy, ax: Axes) -> None:
    rows = choose_rows(study.rows, n=[200], pi=[0.01], rho=[0.4])
    hook_plot(rows, data_sets=40, ax=ax)
    for name, bars in zip(("dr", "lbb", "sb"), ax.containers, strict=True):
        line = bars.lines[0]  # type: ignore[attr-defined]
        expected = [(r.m, r.coverage) for r in rows if r.method == name]
        drawn = np.asarray(line.get_xydata(), dtype=np.float64)
        np.testing.assert_array_equal(drawn[:, 1], [coverage for _, coverage in expected])
        np.testing.assert_allclose(drawn[:, 0], [m for m, _ in expected], atol=0.16)  # moved aside
        share = expected[0][1]
        segment = bars.lines[2][0].get_segments()[0][:, 1]  # type: ignore[attr-defined]
        reach = 2 * (share * (1 - share) / 40) ** 0.5
        np.testing.assert_allclose(segment, [share - reach, share + reach])
    assert ax.get_ylabel() == "coverage (%)"
    with refused("several-cells"):
        hook_plot(study.rows, ax=ax)
    with refused("no-such-method"):
        hook_plot(rows, methods=["bp"], ax=ax)
    with refused("no-such-cell"):
        choose_rows(study.rows, n=[7])


def test_bars_are_observed_and_lines_expected(ax: Axes) -> None:
    errors = draw_individuals([8] * 100, 0.1, 0.2, generator="beta-binomial", rng=1)
    fit = fit_test(Individuals.from_counts(errors, 8), n_resamples=5)
    fit_plot(fit, ax=ax)
    heights = [patch.get_height() for patch in ax.patches]  # type: ignore[attr-defined]
    assert heights == np.bincount(errors, minlength=len(heights)).tolist()
    for line, model in zip(ax.lines, fit.models, strict=True):
        assert np.asarray(line.get_ydata()) == pytest.approx(model.expected[: len(heights)])
        assert str(line.get_label()).startswith(model.fit.model)
    assert ax.get_yscale() == "log"


def test_nothing_to_draw_is_an_error(ax: Axes) -> None:
    with refused("nothing-to-draw"):
        fit_plot(fit_test(Individuals.from_counts([0, 0, 0], 5), n_resamples=2), ax=ax)


def test_plan_lines(ax: Axes) -> None:
    plan = plan_rate(0.02, 0.1, half_width=0.005, person_cost=10)
    plan_plot(plan, ax=ax)
    people, total, cost, least, star = ax.lines
    np.testing.assert_array_equal(people.get_xydata(), [(row.attempts, row.individuals) for row in plan.trade_off])
    np.testing.assert_array_equal(total.get_ydata(), [row.total for row in plan.trade_off])
    np.testing.assert_array_equal(cost.get_ydata(), [row.cost for row in plan.trade_off])
    assert np.ravel(star.get_xydata()).tolist() == [plan.attempts, plan.individuals]
    floor = int(np.asarray(least.get_ydata())[0])
    plan_rate(0.02, 0.1, half_width=0.005, individuals=floor)
    with pytest.raises(FairtrialError, match="no number of attempts"):
        plan_rate(0.02, 0.1, half_width=0.005, individuals=floor - 1)


def test_power_curve(ax: Axes) -> None:
    rates = (0.01, 0.02), (0.015, 0.03)
    plan = plan_comparison(*rates, attempts=4, data_sets=0)
    data = power_curve(plan, lambda n: plan_comparison(*rates, attempts=4, individuals=n, data_sets=0).power, points=9)
    power_plot(data, ax=ax)
    assert (np.diff(data.power) > 0).all()
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), np.stack([data.individuals, data.power], 1))
    assert np.ravel(ax.lines[1].get_xydata()).tolist() == [plan.individuals, plan.power]
    with refused("points"):
        power_curve(plan, lambda n: 1.0, points=1)
