"""What becomes of a trial that lacks the score of a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairtrial.errors import TrialsError
from fairtrial.fusion.methods import FusionData
from fairtrial.fusion.steps import Floats
from fairtrial.rules.eer import equal_error_rate
from fairtrial.tables import plural

Missing: TypeAlias = Literal["error", "reject", "neutral"]
"""What becomes of a trial that lacks the score of a system, which is then infinite."""


@dataclass(frozen=True, slots=True, eq=False)
class MissingScores:
    """What is done to trials that lack a score: a policy, and for each system the score that says nothing."""

    policy: Missing
    neutral: Floats
    """The EER threshold of each system on dev; empty where the policy needs none."""

    @classmethod
    def fitted(cls, policy: Missing, data: FusionData) -> MissingScores:
        """The neutral scores by dev trials."""
        if policy == "error":
            return cls(policy, np.empty(0))
        return cls(policy, np.array([_neutral(column, data.genuine) for column in data.scores.T]))

    def check(self, *parts: Floats) -> int:
        """How many trials lack a score; an error where the policy says so."""
        count = sum(int(np.count_nonzero(~np.isfinite(scores).all(axis=1))) for scores in parts)
        if count and self.policy == "error":
            raise TrialsError(
                f"{plural(count, 'trial')} without the score of a system; decide what happens to such trials: "
                'missing="reject" rejects them, missing="neutral" takes a neutral score'
            )
        return count

    def fill(self, scores: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Scores without a gap, and which trials are to be rejected whatever they say."""
        lacking = ~np.isfinite(scores)
        if not lacking.any():
            return scores, np.zeros(len(scores), dtype=bool)
        rejected = lacking.any(axis=1) & (self.policy == "reject")
        return np.where(lacking, self.neutral, scores), np.asarray(rejected)

    def note(self, count: int) -> tuple[str, ...]:
        """What the reader should know of so many trials."""
        if not count:
            return ()
        done = "rejected" if self.policy == "reject" else "the system's EER threshold on dev takes its place"
        return (f"{plural(count, 'trial')} without the score of a system: {done}",)


def _neutral(column: Floats, genuine: NDArray[np.bool_]) -> float:
    known = np.isfinite(column)
    if not (known & genuine).any() or not (known & ~genuine).any():
        raise TrialsError("a system has no score for a whole class of dev trials; leave it out")
    threshold = float(equal_error_rate((column[known & genuine], column[known & ~genuine])).threshold)
    # -inf: all scores are equal
    return threshold if np.isfinite(threshold) else float(column[known].min())
