"""Slow and obvious: every candidate threshold, every score, exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

Cost = Callable[[Fraction, Fraction, Fraction], Fraction]
"""From FAR, FRR and alpha to the cost."""


@dataclass(frozen=True)
class Point:
    threshold: float
    false_accepts: int
    false_rejects: int
    far: Fraction
    frr: Fraction


def points(genuine: Sequence[float], impostor: Sequence[float]) -> list[Point]:
    """Errors at -inf and at every distinct score, by rising threshold."""
    result = []
    for threshold in sorted({-inf, *genuine, *impostor}):
        accepts = sum(score > threshold for score in impostor)
        rejects = sum(score <= threshold for score in genuine)
        far, frr = Fraction(accepts, len(impostor)), Fraction(rejects, len(genuine))
        result.append(Point(threshold, accepts, rejects, far, frr))
    return result


def best(genuine: Sequence[float], impostor: Sequence[float], cost: Cost, alpha: Fraction) -> Point:
    """The minimiser: smallest cost, then smallest FAR + FRR, then smallest threshold."""
    return min(points(genuine, impostor), key=lambda p: (cost(p.far, p.frr, alpha), p.far + p.frr, p.threshold))


def lower_hull(genuine: Sequence[float], impostor: Sequence[float]) -> list[Point]:
    """The points that lie strictly below every line through two others around them."""
    every = points(genuine, impostor)
    return [
        p
        for p in every
        if not any(
            (p.frr - a.frr) * (a.far - b.far) >= (b.frr - a.frr) * (a.far - p.far)
            for a in every
            for b in every
            if a.far >= p.far >= b.far and a.frr <= p.frr <= b.frr and a is not p and b is not p and a is not b
        )
    ]
