"""The intervals for repeated attempts by name; a new one is registered here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fairtrial.core.errors import check_choice
from fairtrial.repeated import limits
from fairtrial.repeated.models import most_likely_limits


@dataclass(frozen=True, slots=True)
class RepeatedMethod:
    """An interval for repeated attempts.

    Parameters
    ----------
    name : str
        Its name on the command line and in JSON.
    limits : callable
        Computes the limits, with the signature of the functions in `limits`.
    resamples : bool, default False
        Whether it resamples, so that `n_resamples` and `rng` apply.
    level : float, optional
        The level of confidence that it always has.
    least_errors : int, default 0
        The number of errors from which on it is meant to be used.
    """

    name: str
    limits: Callable[..., limits.Limits]
    resamples: bool = False
    level: float | None = None
    least_errors: int = 0


REPEATED_METHODS: dict[str, RepeatedMethod] = {
    method.name: method
    for method in (
        RepeatedMethod("dr", limits.doddington_limits, level=0.9, least_errors=30),
        RepeatedMethod("bp", limits.best_practices_limits),
        RepeatedMethod("sb", limits.subset_bootstrap_limits, resamples=True),
        RepeatedMethod("bb", limits.beta_binomial_limits),
        RepeatedMethod("lbb", limits.logit_limits),
        RepeatedMethod("brr", limits.balanced_replicates_limits, resamples=True),
        RepeatedMethod("bb-ml", most_likely_limits),
    )
}
"""The six intervals in the order of the paper, and the beta-binomial by maximum likelihood."""
PAPER_METHODS = tuple(REPEATED_METHODS)[:6]


def known_method(name: str) -> RepeatedMethod:
    """Give a method by its name.

    Raises
    ------
    ParameterError
        If the name is unknown.
    """
    check_choice("method", name, REPEATED_METHODS)
    return REPEATED_METHODS[name]
