"""Hofbauer & Uhl, Calculating a boundary for the significance from the equal-error rate, 2016.

What is called `PRINTED_` is what the paper shows; the rest is recomputed from its equations, with more digits.
"""

EXAMPLE_1_EERS, EXAMPLE_1_TRIALS = (0.010426, 0.010317), 3_480_841
"""Example 1."""
PRINTED_EXAMPLE_1 = (2.02668, 0.1546)
"""Example 1, eq. (5): chi2' and p'. The printed EERs give less (its denominator has .010427 for .010426);
their rounding allows from 1.957 to 2.031."""
EXAMPLE_1 = (1.99373, 0.15795)
"""Example 1, eq. (5), recomputed from the printed EERs."""

DISCORDANT = (26_055, 26_707)
"""Example 1: b and c of McNemar's table. With its d of 10,198 they contradict the EERs: b + d is 1.0415 % and
c + d 1.0602 % of the trials, so that the other method has more errors."""
PRINTED_MCNEMAR = (8.032, 0.00459)
"""Example 1: chi2 and p, with the correction for continuity, which the paper does not mention."""
MCNEMAR_CORRECTED = (8.0323, 0.0045950)
MCNEMAR = (8.0570, 0.0045328)
"""Without the correction."""
MCNEMAR_EXACT_P = 0.0045946
"""From the binomial distribution."""

EXAMPLE_2_EERS, EXAMPLE_2_TRIALS = (0.0013, 0.0058), 719_400
"""Example 2."""
PRINTED_EXAMPLE_2_CHI2 = 2051
EXAMPLE_2_CHI2 = 2051.81

EXAMPLE_3_EERS, EXAMPLE_3_TRIALS = (0.0057, 0.0008, 0.0007, 0.0028, 0.0), 285_390
"""Example 3: TAN, DAUGMAN, MA, YAO and BASTYS."""
EXAMPLE_3_NAMED = dict(zip(("TAN", "DAUGMAN", "MA", "YAO", "BASTYS"), EXAMPLE_3_EERS, strict=True))
EXAMPLE_3_LEVEL, EXAMPLE_3_LARGEST_EER = 0.01, 0.0058
PRINTED_EXAMPLE_3_DIFFERENCE = 0.00052
"""Example 3, eq. (7): the smallest significant difference."""
EXAMPLE_3_DIFFERENCE = 0.00051931
EXAMPLE_3_WEAK = (0.0008, 0.0007)
"""Example 3: the one pair of ten that is not significant, DAUGMAN and MA."""
PRINTED_EXAMPLE_3_WEAK_BOUND = (1.9026, 0.1678)
"""Example 3, eq. (5): chi2' and p' of that pair."""
EXAMPLE_3_WEAK_BOUND = (1.9026, 0.167788)
