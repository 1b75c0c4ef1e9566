"""Maps of coverage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from fairtrial import (
    CoverageStudy,
    FairtrialError,
    write_trials,
)
from fairtrial.axes import coverage_classes
from fairtrial.plots import (
    coverage_plot,
    read_study,
)
from fairtrial.plots.coverage import CoveredCell, coverage_map
from fairtrial.trials import Trials


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
