"""What the tests of figures share: trials of three systems, and a style that stays as it was."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fairtrial import Trials
from fairtrial.repeated import CoverageStudy, Grid, coverage_study

SYSTEMS = ("face", "voice", "finger")


def make_trials(seed: int, people: int = 24) -> Trials:
    """People against each other, two shots each; the first is hard to recognise, the second easy to imitate."""
    rng = np.random.default_rng(seed)
    claim, subject = np.divmod(np.tile(np.arange(people * people), 2), people)
    genuine = claim == subject
    scores = np.outer(genuine, [2.0, 3.0, 2.4]) + rng.normal(size=(len(claim), 3))
    scores[genuine & (claim == 0)] -= 6
    scores[~genuine & (claim == 1)] += 1.5
    names = np.array([f"p{k:02d}" for k in range(people)])
    return Trials.from_arrays(scores, genuine, systems=SYSTEMS, claim=names[claim], subject=names[subject])


@pytest.fixture(scope="session")
def dev() -> Trials:
    return make_trials(1)


@pytest.fixture(scope="session")
def test() -> Trials:
    return make_trials(2)


@pytest.fixture(scope="session")
def study() -> CoverageStudy:
    grid = Grid((50, 200), (2, 5, 8), (0.01, 0.1), (0.05, 0.4))
    return coverage_study(grid, methods=("dr", "lbb", "sb"), data_sets=40, workers=1)


@pytest.fixture
def ax() -> Axes:
    return Figure().add_subplot()


@pytest.fixture(autouse=True)
def same_style() -> Iterator[None]:
    """No test leaves another style behind."""
    before = dict(matplotlib.rcParams)
    yield
    assert dict(matplotlib.rcParams) == before
