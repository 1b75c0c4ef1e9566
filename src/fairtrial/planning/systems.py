"""Two systems that are to be compared: their error rates, how alike their errors are, and who will test them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from fairtrial.checks import check_number, check_rate, check_share
from fairtrial.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Rates:
    """The FAR and the FRR that a system is thought to have."""

    far: float
    frr: float

    def __post_init__(self) -> None:
        for name, rate in (("FAR", self.far), ("FRR", self.frr)):
            check_rate(name, rate)


@dataclass(frozen=True, slots=True)
class ComparisonSetting:
    """All of a planned comparison but the number of clients; see `plan_comparison`."""

    first: Rates
    second: Rates
    attempts: int = 1
    impostor_attempts: int = 10
    impostors: int | None = None
    rho_client: float = 0.0
    rho_impostor: float = 0.0
    correlation: float | None = 0.0

    def __post_init__(self) -> None:
        for name, rho in (("rho_client", self.rho_client), ("rho_impostor", self.rho_impostor)):
            check_share(name, rho)
        if self.rho_client + self.rho_impostor > 1:
            raise ParameterError(
                f"rho_client and rho_impostor must not exceed 1 together, not {self.rho_client} and {self.rho_impostor}"
            )
        if self.rho_impostor and self.impostors is None:
            raise ParameterError("rho_impostor needs impostors=..., the number of impostors common to all clients")
        if self.impostors is not None and self.impostors < 2:
            raise ParameterError(f"there must be at least two impostors, not {self.impostors}")
        if self.impostors is not None:
            check_number("impostor", self.impostors, most=10**7)
        if min(self.attempts, self.impostor_attempts) < 1:
            raise ParameterError(
                f"each client must have attempts of both kinds, not {self.attempts} and {self.impostor_attempts}"
            )
        _check_correlation(self.correlation)


def _check_correlation(correlation: float | None) -> None:
    """Refuse what cannot be a correlation of errors."""
    if correlation is not None and not -1 <= correlation <= 1:
        raise ParameterError(f"the correlation of errors must be between -1 and 1, not {correlation}")


def both_wrong_share(p: float, q: float, correlation: float) -> float:
    """Compute the share of trials that both systems decide wrongly, as near to the correlation as the rates allow."""
    _check_correlation(correlation)
    both = p * q + correlation * sqrt(p * (1 - p) * q * (1 - q))
    return min(max(both, p + q - 1, 0.0), p, q)


def discordant_share(p: float, q: float, correlation: float) -> float:
    """Compute the share of trials that one system decides wrongly and the other does not."""
    return p + q - 2 * both_wrong_share(p, q, correlation)
