"""The smallest number that is enough, against trying one after the other."""

from hypothesis import given
from hypothesis import strategies as st

from fairtrial.planning.search import smallest_enough


@given(needed=st.integers(-5, 3000), least=st.integers(1, 50))
def test_smallest_enough_against_trying_all(needed: int, least: int) -> None:
    tried = next(number for number in range(least, 10_000) if number >= needed)
    assert smallest_enough(lambda number: number >= needed, least=least) == tried


def test_nothing_is_enough() -> None:
    asked: list[int] = []

    def never(number: int) -> bool:
        asked.append(number)
        return False

    assert smallest_enough(never, most=1000) is None
    assert max(asked) <= 1000
