"""Bengio & Mariéthoz, A statistical significance test for person authentication, 2004.

What is called `PRINTED_` is what the paper shows; the rest is what its equations give for the rates of its
Tables 1 and 4, with more digits, by a script that shares no code with fairtrial. There are no page numbers: only the
text of the paper was at hand.
"""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Model:
    """Error rates as fractions, and the accesses of their test set."""

    far: float
    frr: float
    impostor: int
    genuine: int


MODEL_A = Model(0.0115, 0.0250, 112_000, 400)
"""Table 1 and section 6.2: XM2VTS."""
MODEL_B = Model(0.0195, 0.0275, 112_000, 400)
"""Table 1 and section 6.2: XM2VTS."""
MODEL_C = Model(0.131, 0.096, 57_748, 5_825)
"""Table 4 and section 6.3: NIST 2000."""
MODEL_D = Model(0.158, 0.078, 57_748, 5_825)
"""Table 4 and section 6.3: NIST 2000."""

FALSE_ACCEPTS_OF_A, FALSE_REJECTS_OF_A = 1285, 10
"""The whole numbers of errors that give the digits printed for model A; the paper prints only the rates."""

ROUGH_OF_A = 9.75
"""n p (1 - p) of model A's false rejects, 400 x .025 x .975: below the 10 that footnote 2 asks for."""

WIDE_NAIVE = Model(0.01, 0.0, 112_000, 400)
"""Rates at which the NAIVE interval is wider than that of eq. (13), against section 5; not in the paper."""

QUANTILES = {0.90: 1.645, 0.95: 1.960, 0.99: 2.576}
"""Fig. 2: normal quantiles by confidence, rounded to the digits with which the tables were made."""


class Widths(NamedTuple):
    """Widths of intervals in percent, at 90, 95 and 99 % confidence: eqs. (13), (18) and (17)."""

    hter: tuple[float, float, float]
    naive: tuple[float, float, float]
    classes: tuple[float, float, float]


PRINTED_WIDTHS_OF_A = Widths((1.285, 1.531, 2.013), (0.131, 0.156, 0.206), (0.105, 0.125, 0.164))
"""Table 2."""
WIDTHS_OF_A = Widths((1.28520, 1.53130, 2.01256), (0.13135, 0.15651, 0.20570), (0.10484, 0.12492, 0.16418))
"""Table 2 recomputed from the rates; the second naive width rounds to .157, with 1285 errors to .156."""
PRINTED_WIDTHS_OF_C = Widths((0.676, 0.805, 1.058), (0.414, 0.493, 0.648), (0.436, 0.519, 0.682))
"""Table 5."""
WIDTHS_OF_C = Widths((0.67565, 0.80503, 1.05804), (0.41390, 0.49316, 0.64815), (0.43564, 0.51905, 0.68219))
"""Table 5 recomputed."""

INTERVAL_OF_A = (0.01059, 0.02591)
"""The 95 % interval of model A by eq. (13), recomputed."""
BOOTSTRAP_INTERVAL_OF_A = (0.0109, 0.0264)
"""Its 95 % bootstrap percentile interval, about: not in the paper, from an independent script with 10,000 resamples."""


class Difference(NamedTuple):
    """A confidence delta in percent that two models differ, and the sigma of the test."""

    delta: float
    sigma: float


PRINTED_INDEPENDENT_A_B = Difference(64.7, 0.0057)
"""Table 3, eq. (15)."""
INDEPENDENT_A_B = Difference(64.6503, 0.0056584)
"""Table 3, eq. (15), recomputed."""
PRINTED_DEPENDENT_A_B = Difference(69.2, 0.0052)
"""Table 3, eq. (16)."""
DISCORDANT_A_B = (1500, 603, 9, 8)
"""Impostor trials that only A decides rightly, that only B does, and the same of genuine trials. The paper prints no
counts; these fit the differences of Table 1 and give the digits of Table 3."""
DEPENDENT_A_B = Difference(69.166, 0.00515795)
"""Table 3, eq. (16), with `DISCORDANT_A_B`."""
PRINTED_NAIVE_A_B = Difference(100.0, 0.0006)
"""Table 3, eq. (18)."""
PRINTED_CLASS_A_B = Difference(100.0, 0.0005)
"""Table 3, eq. (17)."""

PRINTED_INDEPENDENT_C_D = Difference(89.1, 0.0028)
"""Table 6, eq. (15); its header says sigma squared, its caption sigma, and it is sigma."""
INDEPENDENT_C_D = Difference(89.108, 0.0028071)
"""Table 6, eq. (15), recomputed."""
PRINTED_NAIVE_DELTA_C_D = 98.9
"""Table 6, eq. (18): no whole numbers of errors that agree with Table 4 give it."""
NAIVE_DELTA_C_D = 98.785
"""Table 6, eq. (18), recomputed from the rates of Table 4."""
PRINTED_DEPENDENT_C_D = Difference(98.8, 0.0016)
"""Table 6, eq. (16): contradicts the rates of Table 4, so that it is no reference."""

TYPE_I_ERROR_AS_PRINTED = 0.336
"""How often the dependent test rejects equal models at 5 % as Fig. 2 prints it, without the factor 1/2: simulated."""

FIGURE_3_FAR, FIGURE_3_FRR, FIGURE_3_GENUINE = 0.1, 0.2, 100
"""Section 6.1."""
FIGURE_3 = {
    1: (0.025000, 0.025249, 0.025249),
    10: (0.020555, 0.010766, 0.009400),
    100: (0.020056, 0.003553, 0.002998),
    1000: (0.020006, 0.001129, 0.000949),
}
"""Fig. 3: standard deviations of HTER, NAIVE and CLASS by NI / NC. The figure has no numbers: these are recomputed."""
