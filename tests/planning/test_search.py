"""The smallest number that is enough, against trying one after the other."""

from hypothesis import given
from hypothesis import strategies as st

from fairtrial.planning.search import smallest_enough, smallest_that_stays


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


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(1, 60))
def test_smallest_that_stays_against_trying_all(early: list[bool], start: int) -> None:
    enough = dict(enumerate(early, 2))
    tried = max([1, *(number for number, good in enough.items() if not good)]) + 1
    # 4 % apart from few people means one by one
    assert smallest_that_stays(lambda number: enough.get(number, True), start=min(start, 20)) == tried


def test_nothing_stays() -> None:
    assert smallest_that_stays(lambda number: False, start=5, most=200) is None
    assert smallest_that_stays(lambda number: number == 200, start=5, most=200) == 200
