"""Answers are kept for their time, and no more of them than allowed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.dns.cache import Cache
from skitter.messages import Failure, Kind
from skitter.ports import Resolved

HERE = Resolved(("127.0.0.1",), 20.0)


def test_an_answer_holds_from_its_time_to_its_end() -> None:
    cache = Cache(10)
    cache.put("a", HERE, 10, 20)
    assert cache.get("a", 10) == HERE
    assert cache.get("a", 19.9) == HERE
    assert cache.get("a", 20) is None
    assert cache.expired("a") == HERE


def test_what_was_no_address_is_of_no_use_later() -> None:
    cache = Cache(10)
    cache.put("a", Failure(Kind.DNS_UNKNOWN), 10, 20)
    assert cache.expired("a") is None
    assert cache.expired("b") is None


def test_a_clock_that_was_set_back_makes_nothing_last_longer() -> None:
    cache = Cache(10)
    cache.put("a", HERE, 1000, 1060)
    assert cache.get("a", 500) is None


def test_the_least_used_goes_first() -> None:
    cache = Cache(2)
    cache.put("a", HERE, 0, 9)
    cache.put("b", Failure(Kind.DNS_UNKNOWN), 0, 9)
    assert cache.get("a", 1) == HERE
    cache.put("c", HERE, 1, 9)
    assert cache.get("b", 2) is None
    assert cache.get("a", 2) == HERE
    assert cache.get("c", 2) == HERE


def test_a_new_answer_replaces_the_old_one() -> None:
    cache = Cache(2)
    cache.put("a", Failure(Kind.DNS_FAILED), 0, 5)
    cache.put("a", HERE, 1, 9)
    assert cache.get("a", 6) == HERE
    assert len(cache) == 1


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.booleans()), max_size=60), st.integers(1, 5))
@settings(max_examples=100)
def test_it_never_holds_more_than_its_size(steps: list[tuple[str, bool]], size: int) -> None:
    cache = Cache(size)
    for name, put in steps:
        if put:
            cache.put(name, HERE, 0, 9)
            assert cache.get(name, 1) == HERE
        else:
            cache.get(name, 1)
        assert len(cache) <= size
