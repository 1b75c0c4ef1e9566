"""The operating point: a rule by which the threshold is chosen on dev, or a threshold that the user dragged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrial.core.errors import ParameterError
from fairtrial.counting.tallies import ErrorCounts
from fairtrial.explorer import fields
from fairtrial.explorer.fields import Fields
from fairtrial.explorer.repeating import words
from fairtrial.figures.style import Floats, probit
from fairtrial.inference.decide import Judgement, judge, judge_at
from fairtrial.inference.split import TrialSets
from fairtrial.rules.criteria import CRITERIA, Criterion, as_criterion

_PREFERRED = (1.0, 1.1, 1.2, 1.3, 1.5, 1.6, 1.8, 2.0, 2.2, 2.4, 2.7, 3.0, 3.3, 3.6, 3.9, 4.3, 4.7, 5.1, 5.6, 6.2, 6.8,
              7.5, 8.2, 9.1)  # fmt: skip
"""Two digits, evenly apart on a logarithmic scale: the preferred numbers E24 of IEC 60063."""
_WEIGHTS = 1001
_DIGITS = 5
_TARGET_DIGITS = 7


@dataclass(frozen=True, slots=True)
class Point:
    """A criterion with its weight or target, or a given threshold in place of both."""

    criterion: str = "eer"
    alpha: float | None = None
    threshold: float | None = None

    @classmethod
    def of(cls, given: Fields) -> Point:
        """What the browser asks for."""
        if "threshold" in given:
            return cls(threshold=fields.number(given, "threshold"))
        name = fields.choice(given, "criterion", tuple(CRITERIA), "eer")
        means = as_criterion(name).alpha_means
        alpha = None if means == "none" else fields.number(given, "alpha", 0.5 if means == "weight" else None)
        return cls(name, alpha)

    @property
    def rule(self) -> Criterion:
        """The criterion; an error where there is a threshold in its place."""
        if self.threshold is not None:
            raise ParameterError(
                "this needs a rule that chooses the threshold on dev, not a threshold that was dragged; choose alpha, "
                "a FAR, an FRR or the equal error rate"
            )
        return as_criterion(self.criterion)

    def judged(self, sets: TrialSets, system: str) -> Judgement:
        """A system at this point."""
        if self.threshold is not None:
            return judge_at(sets, self.threshold, system=system)
        rule = self.rule
        return judge(sets, system=system, criterion=rule, alphas=rule.resolve_alpha(self.alpha))

    def keywords(self, *, default: str = "eer") -> dict[str, Any]:
        """The same as keywords of Python, but for what is the default."""
        if self.threshold is not None:
            return {"threshold": self.threshold}
        found: dict[str, Any] = {} if self.rule.name == default else {"criterion": self.criterion}
        return found if self.alpha is None else {**found, "alpha": self.alpha}

    def words(self, *, default: str = "eer") -> list[str]:
        """The same on the command line."""
        return [word for name, value in self.keywords(default=default).items() for word in words(f"--{name}", value)]


def steps_of(criterion: Criterion) -> Floats:
    """The values that a slider of this criterion goes through: weights, or targets with two digits."""
    if criterion.alpha_means == "none":
        return np.array([0.5])
    if criterion.alpha_means == "weight":
        return np.linspace(0.0, 1.0, _WEIGHTS)
    rates = np.array([float(f"{factor:g}e{power}") for power in range(-6, 0) for factor in _PREFERRED])
    rates = rates[rates <= 0.5]
    return np.round(1 - rates[::-1], _TARGET_DIGITS) if _aims_high(criterion) else rates


def start_of(criterion: Criterion) -> float | None:
    """Where the slider of a criterion stands at first; None where it has none."""
    return {"none": None, "weight": 0.5, "target": 0.9 if _aims_high(criterion) else 0.01}[criterion.alpha_means]


def _aims_high(criterion: Criterion) -> bool:
    """Whether the target is of a figure that is better if higher, such as precision."""
    return criterion.aim is not None and criterion.aim.higher_is_better


def track(sets: TrialSets, system: str, criterion: Criterion) -> dict[str, Any]:
    """What a system does along the steps of a slider, all at once: no move has to be computed."""
    found = errors_shown(judge(sets, system=system, criterion=criterion, alphas=steps_of(criterion)).test)
    return {name: value for name, value in found.items() if name not in ("far", "frr", "hter")}


def errors_shown(counts: ErrorCounts) -> dict[str, Any]:
    """Errors at one threshold or at several, and their place on the axes of a DET curve."""
    x, y = (np.round(probit(rate), _DIGITS).tolist() for rate in (counts.far, counts.frr))
    return {"threshold": np.asarray(counts.threshold).tolist(), **counts.to_dict(), "x": x, "y": y}
