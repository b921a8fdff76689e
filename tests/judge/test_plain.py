"""A page that is like most is counted by the kernel as by Python; and any other one is left to Python."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs

from skitter.judge import traps as judge
from skitter.judge.corner import corners_of, ways_of
from skitter.judge.counting import Corner, Visit
from skitter.judge.novelty import packed
from skitter.judge.plain import after_plain_page
from skitter.judge.suspicion import FLOOD, is_flooding
from skitter.judge.traps import NO_TRAPS, Traps
from skitter.messages import Said
from skitter.settings import DAY

NOW = 1_790_000_000.0
PATHS = [
    "",
    "a",
    "a/",
    "a/b",
    "a/1",
    "a/2",
    "b/a/c",
    "a/b/c",
    "a/c/b",
    "a/b/red-xl",
    "a/b/red",
    "a/b/xl",
    "a/red,xl.html",
    "a/dark%2Cblue",
    "a/b/2024",
    "a/2024-11-03/x",
    "a/b;s=1;t=2",
    "a/b/c/d/e/7",
    "s?q=1",
    "s?q=1&p=2",
    "s?p=2&q=1",
    "s?p=2",
    "a/s?with=red,xl&o=",
    "a/*",
    "a/0/*",
    "long/" + "x" * 120 + "/7",
    "0123456789abcdef/b",
]
HREFS = st.sampled_from([f"http://{host}/{path}" for host in ("a.org", "b.org") for path in PATHS])
MINE = st.sampled_from([f"http://a.org/{path}" for path in PATHS])
SAMPLES = st.sets(st.integers(0, 40), max_size=24).map(sorted)


class Page(NamedTuple):
    """A page as it is settled."""

    href: str
    parent: str | None
    sample: list[int] | None  # None: it is none, but leads elsewhere
    inside: list[str]
    elsewhere: int
    more: int  # links that nobody looks at
    is_twin: bool
    hours: int


PAGES = st.builds(
    Page,
    MINE,
    st.none() | HREFS,
    st.none() | SAMPLES,
    st.lists(MINE, max_size=5),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 30),
)
HOME = Page("http://a.org/", None, None, [], 0, 0, is_twin=False, hours=0)
STARRED, DEEPER = HOME._replace(href="http://a.org/a/0/*"), HOME._replace(href="http://a.org/a/0/b")
CALM = Page("http://a.org/a/1", "http://a.org/a", [1, 2, 3, 4, 5, 6, 7, 8], [], 0, 0, is_twin=False, hours=0)


def visit_of(page: Page, now: float, limit: int, haste: int, common: tuple[int, ...]) -> Visit:
    corners = corners_of(page.href)
    ways, ahead = ways_of(corners, page.inside, page.elsewhere)
    links = len(page.inside) + page.elsewhere + page.more
    said = None if page.sample is None else Said(sample=packed(page.sample))
    above = judge.corners_above(page.href, page.parent)
    return Visit(corners, page.href, above, said, ways, now, limit, page.is_twin, common, links, ahead, haste)


def quickly(traps: Traps, page: Page, now: float, limit: int, haste: int, common: tuple[int, ...]) -> Traps | None:
    return after_plain_page(
        traps,
        page.href,
        page.parent,
        None if page.sample is None else packed(page.sample),
        page.inside,
        elsewhere=page.elsewhere,
        links=len(page.inside) + page.elsewhere + page.more,
        is_twin=page.is_twin,
        common=common,
        now=now,
        limit=limit,
        haste=haste,
    )


@given(
    st.lists(PAGES, min_size=1, max_size=40),
    st.sampled_from([2, 8, 20, 40]),
    st.sampled_from([1, 3]),
    st.sets(st.integers(0, 40), max_size=4).map(lambda found: tuple(sorted(found))),
)
@example([HOME, HOME, STARRED, STARRED, HOME, DEEPER], 20, 1, ())
@example([STARRED, DEEPER, DEEPER], 20, 1, ())
def test_a_walk_through_a_host(pages: list[Page], limit: int, haste: int, common: tuple[int, ...]) -> None:
    traps, now = NO_TRAPS, NOW
    for page in pages:
        now += 3600.0 * page.hours
        visit = visit_of(page, now, limit, haste, common)
        after, quick = judge.after_page(traps, visit), quickly(traps, page, now, limit, haste, common)
        if quick is not None:
            assert quick == after
            assert after.closed == ()
            assert judge.wants_sounding(after, visit) is None
            assert not is_flooding(after, now)
        traps = structs.replace(after, closed=())


def test_most_pages_are_plain() -> None:
    traps, left = NO_TRAPS, 0
    for number in range(400):
        page = CALM._replace(href=f"http://a.org/a/{number}", sample=sorted(range(number, number + 800, 100)))
        after = quickly(traps, page, NOW + number, 20, 1, ())
        left += after is None
        traps = after or judge.after_page(traps, visit_of(page, NOW + number, 20, 1, ()))
    assert left == 0
    assert [corner.pages for corner in traps.corners] == [400, 400, 400]


def corners(**counts: int) -> tuple[Corner, ...]:
    return tuple(
        Corner(name, size, **{"pages": 100, "calm": 1000, **counts})
        for size, name in enumerate(corners_of(CALM.href))
        if name
    )


NEAR = {
    "a closed corner": Traps(closed=(judge.Closed("/b/*", 2, NOW, "", NOW),)),
    "led": Traps(corners(led=40)),
    "weak": Traps(corners(weak=40)),
    "dull": Traps(corners(dull=40)),
    "grown": Traps(corners(grown=40)),
    "alone": Traps(corners(alone=40)),
    "to be sounded": Traps(corners(found=2000, calm=0)),
    "a flood": Traps(corners(), day=int(NOW // DAY), fresh=FLOOD),
    "a name of two corners": Traps((Corner("/b/0/*", 1), Corner("/b/0/*", 1))),
    "a name of another size": Traps((Corner("/a/*", 0),)),
}


@pytest.mark.parametrize("case", NEAR)
def test_what_comes_near_to_an_end_is_left_to_python(case: str) -> None:
    page = CALM._replace(sample=None, inside=["http://a.org/a/7"] * 3)
    assert quickly(NEAR[case], page, NOW, 20, 1, ()) is None
    assert quickly(Traps(corners()), page, NOW, 20, 1, ()) is not None
