"""All intervals for repeated attempts by their names."""

from __future__ import annotations

from fairtrial.checks import check_choice
from fairtrial.individuals.beta_binomial import most_likely_limits
from fairtrial.individuals.limits import INDIVIDUALS_METHODS, RepeatedMethod

_MOST_LIKELY = RepeatedMethod("bb-ml", most_likely_limits)
REPEATED_METHODS: dict[str, RepeatedMethod] = {**INDIVIDUALS_METHODS, _MOST_LIKELY.name: _MOST_LIKELY}
"""The six intervals and the beta-binomial by maximum likelihood."""


def known_method(name: str) -> RepeatedMethod:
    """Give a method by its name.

    Raises
    ------
    ParameterError
        A name that none of the methods has.
    """
    check_choice("method", name, REPEATED_METHODS)
    return REPEATED_METHODS[name]
