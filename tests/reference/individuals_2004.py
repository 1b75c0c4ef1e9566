"""Schuckers, Hawley, Livingstone & Mramba, A comparison of statistical methods for evaluating matching..., 2004.

The paper shows coverage in colours and not in numbers. What is recomputed here comes from scripts that share no code
with fairtrial. They follow the paper but for m_0: it is divided by n - 1 too, and it is used in eq. (9) as in eq. (6).
"""

from dataclasses import dataclass

GRID_PI = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1)
"""Section 3."""
GRID_RHO = (0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Section 3."""
GRID_M = (2, 5, 8, 12, 15, 20, 25, 30)
"""Section 3."""
GRID_N = (100, 500, 1000, 5000, 10_000, 50_000, 100_000)
"""Section 3."""
DATA_SETS = 1000
"""Section 3: data sets per cell of the grid."""
GRID_CELLS = 2744

COVERAGE_CLASSES = (0.0, 0.010, 0.250, 0.500, 0.750, 0.900, 0.925, 0.950, 1.0)
"""Table 1: the bounds of the colours of Figures 1 and 2."""

QUANTILE = 1.96
"""Eqs. (3) to (9): the quantile of 95 %, rounded as the paper rounds it."""


@dataclass(frozen=True, slots=True)
class Example:
    """Errors of ten people in five attempts each, made up, and what the equations of section 2 give for them."""

    errors: tuple[int, ...]
    attempts: int
    pi: float
    between: float
    within: float
    rho: float
    limits: dict[str, tuple[float, float]]
    replicate_sd: dict[str, float]

    @property
    def csv(self) -> str:
        """As a table of counts."""
        return "errors,attempts\n" + "".join(f"{errors},{self.attempts}\n" for errors in self.errors)


EXAMPLE = Example(
    errors=(0, 0, 0, 1, 0, 2, 0, 0, 5, 1),
    attempts=5,
    pi=0.18,
    between=0.50888889,
    within=0.07,
    rho=0.55633803,
    limits={
        "dr": (0.126, 0.234),
        "bp": (-0.017735, 0.377735),
        "sb": (0.12, 0.24),
        "bb": (-0.011251, 0.371251),
        "lbb": (0.056675, 0.445070),
        "brr": (0.1, 0.3),
    },
    replicate_sd={"sb": 0.033466, "brr": 0.074833},
)
"""Section 2.2 (dr), eqs. (3) (bp), (4) to (6) (bb), (7) to (9) (lbb), 2.4 (sb) and 2.7 (brr) with T without end."""

METHODS = ("dr", "bp", "bb", "lbb", "sb", "brr")
"""The order of `COVERAGE`."""
COVERAGE = {
    (100, 0.1, 0.2): (0.79355, 0.93845, 0.93736, 0.95526, 0.78422, 0.91358),
    (1000, 0.001, 0.2): (0.24476, 0.83422, 0.83422, 0.79400, 0.77685, 0.81618),
    (1000, 0.01, 0.05): (0.80127, 0.94765, 0.94765, 0.95085, 0.83272, 0.94832),
    (1000, 0.01, 0.8): (0.68347, 0.92405, 0.92405, 0.95224, 0.38043, 0.54088),
}
"""Coverage by n, pi and rho with two attempts, summed over all data sets, where section 3 simulates."""

DR_COVERAGE = {
    (1000, 5, 0.01, 0.05): 0.933309,
    (5000, 12, 0.001, 0.1): 0.873849,
    (5000, 30, 0.01, 0.8): 0.969810,
}
"""Coverage of Doddington's rule by n, m, pi and rho, summed over all data sets."""

HOOK_N, HOOK_PI, HOOK_RHO = 500, 0.001, 0.4
HOOK_COVERAGE = {2: 0.518, 12: 0.918, 30: 0.479}
"""The hook paradox (section 4): coverage of lbb by attempts, simulated with `DATA_SETS` data sets."""

GOOD_COVERAGE = (0.925, 0.975)
"""What counts as good coverage in the shares of cells below."""
SHARES_OF_GOOD_CELLS = {"lbb": 0.765, "bp": 0.648, "bb": 0.648, "sb": 0.136, "brr": 0.102, "dr": 0.069}
"""Shares of the whole grid, simulated as in section 3; the paper finds lbb best too (section 5)."""
SHARES_OF_GOOD_CELLS_ABOVE_10 = {"lbb": 1.0, "bp": 1.0, "bb": 1.0, "dr": 0.98, "brr": 0.82, "sb": 0.15}
"""The same where n pi > 10; the paper says that all methods do well there (section 4), which sb and brr do not."""

PRINTED_WIDTH_RATIO = (3.348, 1.584)
"""Section 5: mean and median of the widths of brr over those of lbb; cannot be reproduced."""
WIDTH_RATIO = (1.85, 1.66)
"""The same, recomputed over the grid."""
