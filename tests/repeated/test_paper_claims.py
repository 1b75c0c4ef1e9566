"""Claims of Schuckers et al. 2004 beside studies whose coverage was made up, counted by hand."""

from __future__ import annotations

from math import isnan

import pytest

from fairtrial.repeated import CoverageRow, CoverageStudy, coverage_study
from fairtrial.repeated.coverage import StudySettings
from fairtrial.repeated.paper_claims import PAPER_CLAIMS, MethodCells
from reference.individuals_2004 import PRINTED_WIDTH_RATIO


def made_up(*rows: tuple[int, int, float, float, str, float, float]) -> CoverageStudy:
    """A study of these n, m, pi, rho, methods, coverages and widths."""
    methods = tuple(dict.fromkeys(row[4] for row in rows))
    made = tuple(CoverageRow(*row, row[6], 0.0, 0.0, 0.0) for row in rows)
    cells = {method: MethodCells.of(made, method) for method in methods}
    claims = (claim.support(cells) for claim in PAPER_CLAIMS if set(claim.methods) <= set(methods))
    return CoverageStudy(StudySettings(methods=methods), made, tuple(claims))


def support(study: CoverageStudy, method: str, claim: str) -> tuple[float, float]:
    ((cells, share),) = {
        (each.cells, each.support) for each in study.claims or () if (each.method, each.claim) == (method, claim)
    }
    return cells, share


def test_cells_that_cover_support_well_and_others_poorly() -> None:
    study = made_up(
        (1000, 5, 0.02, 0.1, "lbb", 0.93, 0.1),
        (1000, 5, 0.05, 0.1, "lbb", 0.92, 0.1),
        (2000, 5, 0.02, 0.1, "lbb", 0.99, 0.1),
        (1000, 5, 0.01, 0.1, "lbb", 0.5, 0.1),  # n pi is 10, not above
        (100, 5, 0.0004, 0.1, "lbb", 0.1, 0.1),
    )
    assert support(study, "lbb", "well: n pi > 10") == pytest.approx((3, 2 / 3))
    assert support(study, "lbb", "poorly: n pi < .05") == (1, 1)
    assert support(study, "lbb", "well: n pi > 5") == (4, 0.5)
    assert not any(claim.method == "brr" for claim in study.claims or ())


def test_nearer_wider_and_too_wide() -> None:
    study = made_up(
        (1000, 5, 0.0005, 0.4, "brr", 0.99, 3.0),
        (1000, 5, 0.0005, 0.4, "lbb", 0.90, 1.0),
        (1000, 5, 0.0005, 0.4, "dr", 0.98, 1.0),
        (1000, 5, 0.02, 0.4, "brr", 1.00, 1.0),
        (1000, 5, 0.02, 0.4, "lbb", 0.94, 2.0),
        (1000, 5, 0.02, 0.4, "dr", 0.98, 1.0),
    )
    assert support(study, "brr", "preferable to LBB: rho >= .4, n pi < 1") == (1, 1)
    assert support(study, "brr", "wider than LBB") == (2, 0.5)
    assert support(study, "dr", "too wide: n pi > 10") == (1, 1)
    assert study.widths == pytest.approx((1.75, 1.75))
    note = study.tables()[-1].notes[-1]
    assert all(str(number) in str(note) for number in PRINTED_WIDTH_RATIO)


def test_the_hook_is_a_fall_of_coverage() -> None:
    study = made_up(
        *((500, m, 0.001, 0.4, "lbb", coverage, 1.0) for m, coverage in ((2, 0.5), (30, 0.6), (12, 0.9))),
        (500, 30, 0.002, 0.4, "lbb", 0.3, 1.0),
    )
    assert support(study, "lbb", "hook: coverage falls as m grows") == (4, 0.25)


def test_claims_about_no_cell_have_no_share() -> None:
    study = made_up((1000, 5, 0.02, 0.1, "lbb", 0.93, 0.1))
    assert {isnan(claim.support) for claim in study.claims or () if not claim.cells} == {True}
    assert study.to_dict()["brr_over_lbb_width"] is None


def test_every_claim_is_about_methods_that_a_study_has() -> None:
    study = coverage_study(n=30, m=2, pi=0.4, rho=0.1, data_sets=20, n_resamples=20, claims=True)
    assert len(study.claims or ()) == len(PAPER_CLAIMS)
    assert {claim.section for claim in PAPER_CLAIMS} == {"4", "4.1", "4.2", "4.3", "4.4", "4.5", "5"}
