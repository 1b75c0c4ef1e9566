"""Figures of published numbers, studies and plans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fairtrial import (
    CoverageStudy,
    FairtrialError,
    Grid,
    StudySettings,
    bounds_from_eers,
    plan_comparison,
    plan_rate,
    run_study,
    write_trials,
)
from fairtrial.axes import coverage_classes
from fairtrial.plots import (
    coverage_plot,
    eer_bound_plot,
    hook_plot,
    hter_deviations,
    hter_sd_plot,
    plan_plot,
    power_curve,
    power_plot,
    read_study,
)
from fairtrial.plots.coverage import CoveredCell, choose_rows, coverage_map
from fairtrial.plots.hter_sd import ratios_up_to
from fairtrial.trials import Trials
from reference.eer_bound_2016 import EXAMPLE_3_EERS, EXAMPLE_3_TRIALS, EXAMPLE_3_WEAK, EXAMPLE_3_WEAK_BOUND
from reference.hter_2004 import FIGURE_3


def test_deviations_against_fig_3_of_bengio_and_mariethoz_2004(ax: Axes) -> None:
    found = hter_deviations(ratios=list(FIGURE_3))
    for place, expected in enumerate(FIGURE_3.values()):
        three = [found.deviations[name][place] for name in ("HTER", "NAIVE", "CLASS")]
        assert three == pytest.approx(expected, abs=6e-7)
    hter_sd_plot(found, ax=ax)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    iso = hter_sd_plot(found, terms="iso")
    assert iso.get_legend_handles_labels()[1][3:] == ["FMR", "FNMR"]
    assert iso.get_title(loc="left").startswith("FMR 10 %, FNMR 20 %")
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [1, 10, 100, 1000])
    for line, values in zip(ax.lines, found.deviations.values(), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), values)


def test_deviations_of_single_rates() -> None:
    found = hter_deviations(ratios=[10])
    assert found.deviations["FAR"][0] == pytest.approx((0.1 * 0.9 / 1000) ** 0.5)
    assert found.deviations["FRR"][0] == pytest.approx((0.2 * 0.8 / 100) ** 0.5)
    assert ratios_up_to(100, 3) == pytest.approx([1, 10, 100])
    settings: list[dict[str, Any]] = [{"ratios": [0]}, {"ratios": []}, {"far": 2.0}]
    for wrong in settings:
        with pytest.raises(FairtrialError):
            hter_deviations(**wrong)
    with pytest.raises(FairtrialError, match="above 1"):
        ratios_up_to(1)


@pytest.fixture(scope="module")
def study() -> CoverageStudy:
    grid = Grid((50, 200), (2, 5, 8), (0.01, 0.1), (0.05, 0.4))
    return run_study(grid, StudySettings(methods=("dr", "lbb", "sb"), data_sets=40), workers=1)


def test_map_has_each_cell_in_its_place(study: CoverageStudy) -> None:
    found = coverage_map(study.rows, "lbb")
    assert found.squares.shape == (3 * 2, 2 * 2)
    for row in study.rows:
        if row.method == "lbb":
            line = found.m.index(row.m) * 2 + found.rho.index(row.rho)
            column = found.n.index(row.n) * 2 + found.pi.index(row.pi)
            assert found.squares[line, column] == row.coverage


def test_map_is_drawn_by_class(study: CoverageStudy) -> None:
    panels = coverage_plot(study.rows, methods=["lbb", "dr"], figure=Figure())
    assert [panel.get_title(loc="left") or panel.get_title() for panel in panels] == ["LBB", "DR"]
    mesh = panels[0].collections[0]
    squares = coverage_map(study.rows, "lbb").squares
    np.testing.assert_array_equal(np.ravel(mesh.get_array()), coverage_classes(squares).ravel())  # type: ignore[arg-type]
    assert [text.get_text() for text in panels[0].get_xticklabels()] == ["50", "200"]
    assert [text.get_text() for text in panels[0].get_yticklabels()] == ["2", "5", "8"]
    # eight colours that get darker, one a class
    assert mesh.get_cmap().N == 8
    shades = np.array([mesh.get_cmap()(k)[:3] for k in range(8)]) @ [0.299, 0.587, 0.114]
    assert (np.diff(shades) < 0).all()


def test_cells_that_are_not_there_stay_empty() -> None:
    rows = [CoveredCell(n, m, 0.1, 0.1, "bp", 0.9) for n, m in ((10, 2), (10, 5), (20, 2))]
    (panel,) = coverage_plot(rows, figure=Figure())
    drawn = panel.collections[0].get_array()
    assert isinstance(drawn, np.ma.MaskedArray)
    assert drawn.mask.sum() == 1
    with pytest.raises(FairtrialError, match="no method 'lbb'"):
        coverage_map(rows, "lbb")
    with pytest.raises(FairtrialError, match="no coverage"):
        coverage_plot([], figure=Figure())


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "csv.gz"])
def test_study_files_read_back(study: CoverageStudy, tmp_path: Path, ending: str) -> None:
    study.write(tmp_path / f"study.{ending}")
    found = read_study(tmp_path / f"study.{ending}")
    assert [(r.n, r.m, r.pi, r.rho, r.method, r.coverage) for r in found] == [
        (r.n, r.m, r.pi, r.rho, r.method, r.coverage) for r in study.rows
    ]


def test_other_files_are_no_study(dev: Trials, tmp_path: Path) -> None:
    write_trials(dev, tmp_path / "scores.csv")
    with pytest.raises(FairtrialError, match="expected a header with the columns n, m, pi, rho, coverage, method"):
        read_study(tmp_path / "scores.csv")
    with pytest.raises(FairtrialError, match=r"no such file|cannot be read"):
        read_study(tmp_path / "scores.txt")
    (tmp_path / "odd.csv").write_text("n,m,pi,rho,method,coverage\n10,2,.1,.1,bp,1.5\n")
    with pytest.raises(FairtrialError, match=r"row 1: a coverage must be between 0 and 1, not 1\.5"):
        read_study(tmp_path / "odd.csv")


def test_hook_lines(study: CoverageStudy, ax: Axes) -> None:
    rows = choose_rows(study.rows, n=[200], pi=[0.01], rho=[0.4])
    hook_plot(rows, data_sets=40, ax=ax)
    for name, bars in zip(("dr", "lbb", "sb"), ax.containers, strict=True):
        line = bars.lines[0]  # type: ignore[attr-defined]
        expected = [(r.m, r.coverage) for r in rows if r.method == name]
        np.testing.assert_array_equal(line.get_xydata(), expected)
        share = expected[0][1]
        segment = bars.lines[2][0].get_segments()[0][:, 1]  # type: ignore[attr-defined]
        reach = 2 * (share * (1 - share) / 40) ** 0.5
        np.testing.assert_allclose(segment, [share - reach, share + reach])
    assert ax.get_ylabel() == "coverage (%)"
    with pytest.raises(FairtrialError, match="8 combinations"):
        hook_plot(study.rows, ax=ax)
    with pytest.raises(FairtrialError, match="no method 'bp'"):
        hook_plot(rows, methods=["bp"], ax=ax)
    with pytest.raises(FairtrialError, match="no n = 7; it has 50, 200"):
        choose_rows(study.rows, n=[7])


def test_eer_bound_against_a_table_of_chi2(ax: Axes) -> None:
    eer_bound_plot(bounds_from_eers(EXAMPLE_3_WEAK, EXAMPLE_3_TRIALS), p_value=0.05, ax=ax)
    curve, critical = ax.lines[:2]
    chi2, p = np.asarray(curve.get_xydata()).T
    for value, tail in ((2.706, 0.10), (3.841, 0.05), (6.635, 0.01)):
        assert np.interp(value, chi2, p) == pytest.approx(tail, rel=1e-3)
    assert float(np.asarray(critical.get_xdata())[0]) == pytest.approx(3.841, abs=1e-3)
    with pytest.raises(FairtrialError, match="p_value"):
        eer_bound_plot(bounds_from_eers(EXAMPLE_3_WEAK, EXAMPLE_3_TRIALS), p_value=0, ax=ax)


def test_eer_bound_against_example_3_of_hofbauer_and_uhl_2016(ax: Axes) -> None:
    eer_bound_plot(bounds_from_eers(EXAMPLE_3_EERS, EXAMPLE_3_TRIALS), ax=ax)
    points = [line for line in ax.lines if line.get_label() and not str(line.get_label()).startswith("_")]
    (place,) = [np.ravel(line.get_xydata()) for line in points]
    assert place == pytest.approx(EXAMPLE_3_WEAK_BOUND, abs=6e-5)
    (text,) = [text.get_text() for text in ax.texts if "beyond" in text.get_text()]
    assert len(text.splitlines()) == 1 + 9
    assert ax.get_yscale() == "log"
    assert ax.patches[0].get_x() == pytest.approx(6.6349, abs=1e-4)  # type: ignore[attr-defined]
    with pytest.raises(FairtrialError, match="no pair"):
        eer_bound_plot([], ax=ax)


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
    with pytest.raises(FairtrialError, match="points"):
        power_curve(plan, lambda n: 1.0, points=1)
