"""McNemar's test: does one of two systems err more often on the trials on which they disagree?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fairtrial.core.errors import check_count
from fairtrial.core.results import Field, Result
from fairtrial.core.tables import Column, Table
from fairtrial.core.words import p_phrase, plural
from fairtrial.inference.tests import above_zero

_LEVEL = 0.05  # the level of significance of the answer


@dataclass(frozen=True, slots=True, repr=False)
class McNemar(Result):
    """McNemar's test in all its versions.

    Attributes
    ----------
    b, c : int
        The number of trials that only A got wrong, and that only B did.
    chi2, p_value : float
        The statistic and its p value without the correction for continuity.
    chi2_corrected, p_value_corrected : float
        The statistic and its p value with the correction for continuity.
    p_value_exact, p_value_mid : float
        The p value and the mid-p value of the exact binomial test.

    Examples
    --------
    >>> from fairtrial.published import mcnemar_test
    >>> round(mcnemar_test(26055, 26707).p_value_exact, 5)
    0.00459
    """

    FIELDS: ClassVar = (
        *map(
            Field, ("b", "c", "chi2", "p_value", "chi2_corrected", "p_value_corrected", "p_value_exact", "p_value_mid")
        ),
        Field("threshold", get=lambda test: "fixed"),
    )
    b: int
    c: int
    chi2: float
    p_value: float
    chi2_corrected: float
    p_value_corrected: float
    p_value_exact: float
    p_value_mid: float

    def answer(self) -> str:
        """Write the conclusion of the exact test."""
        errors = f"{plural(self.b, 'trial')} that only A got wrong against {self.c:,} that only B did"
        evidence = f"{errors}, exact {p_phrase(self.p_value_exact)}"
        if self.p_value_exact >= _LEVEL:
            return f"A and B cannot be told apart ({evidence})"
        return f"A is {'better' if self.b < self.c else 'worse'} than B ({evidence})"

    def tables(self) -> tuple[Table, ...]:
        """Tabulate one row per version of the test."""
        columns = (Column("version", "version"), Column("chi2", "chi2", "number"), Column("p_value", "p", "p"))
        rows = (
            ("uncorrected", self.chi2, self.p_value),
            ("continuity corrected", self.chi2_corrected, self.p_value_corrected),
            ("exact", None, self.p_value_exact),
            ("mid-p", None, self.p_value_mid),
        )
        caption = f"McNemar's test, {plural(self.b, 'trial')} wrong for A only and {self.c:,} for B only"
        return (Table("versions", caption, columns, rows),)


def mcnemar_test(b: int, c: int) -> McNemar:
    """Test the two numbers of discordant trials.

    Parameters
    ----------
    b : int
        The number of trials that only A got wrong.
    c : int
        The number of trials that only B got wrong.

    Returns
    -------
    McNemar
        Chi2 without and with the continuity correction, the exact binomial p value and the mid-p value.

    Raises
    ------
    ParameterError
        If a number is not whole, or below 0.

    Notes
    -----
    Trials are assumed independent of each other. Without discordant trials every p value is 1.

    References
    ----------
    McNemar, Note on the sampling error of the difference between correlated proportions, 1947; Hofbauer & Uhl,
    Calculating a boundary for the significance from the equal-error rate, 2016, eqs. (2) and (3).

    Examples
    --------
    >>> result = mcnemar_test(26055, 26707)
    >>> round(result.chi2, 3), round(result.chi2_corrected, 3)
    (8.057, 8.032)
    """
    from scipy import stats

    b, c = check_count("b", b), check_count("c", c)
    total = b + c
    if total == 0:
        return McNemar(b, c, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0)
    chi2 = (b - c) ** 2 / total
    corrected = max(abs(b - c) - 1, 0) ** 2 / total
    exact = float(stats.binomtest(b, total, 0.5).pvalue)
    mid = 1.0 if b == c else exact - float(stats.binom.pmf(b, total, 0.5))
    p_value, p_corrected = (float(stats.chi2.sf(value, 1)) for value in (chi2, corrected))
    return McNemar(
        b, c, chi2, above_zero(p_value), corrected, above_zero(p_corrected), above_zero(exact), above_zero(mid)
    )
