"""Explorers for tests in a browser."""

from collections.abc import Iterator

import pytest

from explorer.browsing import write_scores
from fairtrial.core.words import wording


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Files of dev and of test."""
    place = tmp_path_factory.mktemp("scores")
    return str(write_scores(place / "dev.csv", 0)), str(write_scores(place / "test.csv", 1))


@pytest.fixture(scope="module")
def address(scores: tuple[str, str]) -> Iterator[str]:
    """An explorer that has both files open."""
    serving = pytest.importorskip("fairtrial.explorer.app")
    with serving.served(list(scores)) as address:
        yield address


@pytest.fixture(autouse=True)
def as_worded_before() -> Iterator[None]:
    """Forget at the end of a test which scores are distances."""
    with wording():
        yield
