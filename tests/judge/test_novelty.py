from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.judge.novelty import (
    BARREN,
    LEADS,
    NOTHING_SEEN,
    PATIENCE_WITH_ALL,
    SHAPES,
    SKETCHES,
    WORTH,
    Novelty,
    after_page,
    is_barren,
)
from skitter.parse.sketch import sketch_of
from skitter.shard.records import HOSTS, HostRecord

LIMIT = 20
HOST = "http://a.org"


def pages_until_barren(pages: int, path: str, text: str, *, leads_on: bool = True) -> int | None:
    """Returns after how many pages their shape is barren; None: it never is. `{n}` is the number of a page."""
    novelty = NOTHING_SEEN
    for n in range(pages):
        if is_barren(novelty, HOST + path.format(n=n)):
            return n
        sketch = sketch_of("", text.format(n=n, letter=chr(0x4E00 + n), twelfth="ABCDEFGHIJKL"[n % 12]))
        novelty = after_page(novelty, HOST + path.format(n=n), sketch, leads_on=leads_on, limit=LIMIT)
    return None


CASES = {
    "the same for every number": ("/any/{n}", "the same", True, LIMIT + 1),
    "only numbers differ": ("/any/{n}", "page {n}", True, LIMIT + 1),
    "a calendar": ("/calendar/{n}/{n}", "month {twelfth}", True, LIMIT + 12),
    "by query": ("/e?day={n}", "nothing", True, LIMIT + 1),
    "every page is new": ("/any/{n}", "about {letter}", True, None),
    "the same, but they lead nowhere": ("/any/{n}", "the same", False, None),
}


@pytest.mark.parametrize(("path", "text", "leads_on", "after"), CASES.values(), ids=CASES)
def test_a_shape_is_barren_after(path: str, text: str, leads_on: bool, after: int | None) -> None:
    assert pages_until_barren(500, path, text, leads_on=leads_on) == after


def test_one_new_page_in_some_keeps_a_shape_alive() -> None:
    novelty = NOTHING_SEEN
    for n in range(1000):
        text = f"new {chr(0x4E00 + n)}" if n % (WORTH + 1) == 0 else "old"
        novelty = after_page(novelty, f"{HOST}/any/{n}", sketch_of("", text), leads_on=True, limit=LIMIT)
    assert not is_barren(novelty, f"{HOST}/any/1")


def test_a_maze_of_many_shapes_is_told_by_the_host() -> None:
    novelty = NOTHING_SEEN
    for n in range(PATIENCE_WITH_ALL * LIMIT + 1):
        assert not is_barren(novelty, HOST)
        novelty = after_page(
            novelty, f"{HOST}/{chr(0x61 + n % 26) * (n // 26 + 1)}", b"same", leads_on=True, limit=LIMIT
        )
    assert is_barren(novelty, f"{HOST}/whatever/else")


def test_a_barren_shape_says_nothing_against_the_others() -> None:
    novelty = NOTHING_SEEN
    for n in range(LIMIT + 1):
        novelty = after_page(novelty, f"{HOST}/any/{n}", b"same", leads_on=True, limit=LIMIT)
    assert is_barren(novelty, f"{HOST}/any/1000")
    assert not is_barren(novelty, f"{HOST}/item/1000")


@given(st.lists(st.sampled_from(["".join(four).encode() for four in product("ab", repeat=4)] + [b"cccc"]), max_size=80))
def test_a_sketch_is_known_if_it_is_one_of_the_last_and_not_if_it_is_parts_of_two(sketches: list[bytes]) -> None:
    novelty, last, stale = NOTHING_SEEN, list[bytes](), 0
    for sketch in sketches:
        novelty = after_page(novelty, f"{HOST}/", sketch, leads_on=False, limit=LIMIT)
        stale = stale + 1 if sketch in last else max(0, stale - WORTH)
        last = last if sketch in last else [*last, sketch][-SKETCHES:]
        assert {shape.stale for shape in novelty.shapes} == {stale}


@given(st.lists(st.tuples(st.integers(0, 30), st.binary(min_size=4, max_size=4), st.booleans()), max_size=200))
def test_what_is_remembered_is_bounded_and_survives_the_store(pages: list[tuple[int, bytes, bool]]) -> None:
    novelty = NOTHING_SEEN
    for shape, sketch, leads_on in pages:
        novelty = after_page(novelty, f"{HOST}/{chr(0x61 + shape % 26)}", sketch, leads_on=leads_on, limit=3)
    assert len(novelty.shapes) <= SHAPES + 1
    assert len(novelty.barren) <= BARREN
    for shape_ in novelty.shapes:
        assert len(shape_.sketches) <= 4 * SKETCHES
        assert shape_.leads <= LEADS
    record = HostRecord("a.org", 0.0, novelty=novelty)
    assert HOSTS.decode(HOSTS.encode(record)).novelty == novelty
    assert isinstance(novelty, Novelty)
