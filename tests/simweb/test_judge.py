from __future__ import annotations

import pytest
from msgspec import structs

from skitter.simweb.judge import judge
from skitter.simweb.log import Request
from skitter.simweb.settings import WorldSettings
from skitter.simweb.truth import Truth
from skitter.simweb.world import World

WORLD = World(WorldSettings(robots={"crawl-delay": 1.0}, crawl_delays=(2.0,)))
ROBOTS = "/robots.txt"


def asked(*rows: tuple[float, float | None, str, str], status: int = 200) -> list[Request]:
    """Returns requests from their begin, end, name and path."""
    return [
        Request(
            number=number,
            connection=1,
            host=name,
            address="127.20.0.2",
            method="GET",
            path=path,
            agent="",
            began=began,
            began_wall=began,
            at_host=1,
            at_address=1,
            ended=ended,
            status=status,
        )
        for number, (began, ended, name, path) in enumerate(rows)
    ]


ONE, TWO = "h0001.sim.test", "h0002.sim.test"


def test_gaps_are_between_starts_and_aliases_are_one_host() -> None:
    found = judge(asked((0, 5, ONE, "/"), (3, 4, f"www.{ONE}", "/p/1"), (3.5, 4, TWO, "/")), WORLD)
    assert found.hosts[ONE].shortest_gap == 3
    assert found.hosts[TWO].shortest_gap == float("inf")
    assert found.addresses["127.20.0.2"].shortest_gap == 0.5
    assert (found.hosts[ONE].gaps_under(3), found.hosts[ONE].gaps_under(3.1)) == (0, 1)


@pytest.mark.parametrize(
    ("ends", "most"),
    [((1, 2, 3), 1), ((1.5, 2, 3), 2), ((9, 9, 9), 3), ((None, None, None), 3)],
    ids=["one-after-the-other", "overlapping", "all-at-once", "never-ended"],
)
def test_requests_at_once_are_counted_from_begins_and_ends(ends: tuple[float | None, ...], most: int) -> None:
    rows = [(float(at), end, ONE, f"/p/{at}") for at, end in enumerate(ends)]
    found = judge(asked(*rows), WORLD)
    assert found.most_at_once == most


@pytest.mark.parametrize(
    ("gap", "delay", "tolerance", "early"),
    [(1.9, 1.0, 0.0, True), (2.0, 1.0, 0.0, False), (1.9, 1.0, 0.2, False), (2.5, 3.0, 0.0, True)],
    ids=["under-crawl-delay", "exact", "within-tolerance", "under-default"],
)
def test_longer_of_delay_and_crawl_delay_is_owed(gap: float, delay: float, tolerance: float, early: bool) -> None:
    found = judge(asked((0, 0.1, ONE, "/"), (gap, gap, ONE, "/p/1")), WORLD)
    assert (ONE in found.too_early(delay, tolerance)) is early


def test_forbidden_requests_are_found() -> None:
    found = judge(asked((0, 1, ONE, ROBOTS), (1, 2, ONE, "/private/3"), (2, 3, ONE, "/p/3")), WORLD)
    assert found.forbidden == [f"http://{ONE}/private/3"]


def test_nothing_may_be_asked_before_robots_was_answered() -> None:
    found = judge(asked((0, 2, ONE, ROBOTS), (1, 3, ONE, "/"), (2, 3, ONE, "/p/1"), (4, 5, f"www.{ONE}", "/")), WORLD)
    assert found.before_robots == [f"http://{ONE}/", f"http://www.{ONE}/"]


@pytest.mark.parametrize(
    ("status", "clear"), [(200, True), (301, True), (404, True), (429, False), (503, False), (0, False)]
)
def test_robots_must_have_been_answered_clearly(status: int, clear: bool) -> None:
    robots = asked((0, 1, ONE, ROBOTS), status=status)
    found = judge([*robots, *asked((2, 3, ONE, "/"))], WORLD)
    assert (found.before_robots == []) is clear


def test_pages_are_counted_by_key_and_compared_with_the_truth() -> None:
    forms = ["/p/1", "/p/1/", "/p/1?utm_source=s1", "/p/2"]
    found = judge(asked(*((float(at), None, ONE, path) for at, path in enumerate([ROBOTS, *forms]))), WORLD)
    assert found.pages == {f"http://{ONE}/p/1": 3, f"http://{ONE}/p/2": 1}
    assert found.robots == {f"http://{ONE}/robots.txt": 1}
    truth = Truth(frozenset({f"http://{ONE}/p/1", f"http://{ONE}/p/3"}), frozenset(), frozenset(), frozenset())
    assert found.missed(truth) == {f"http://{ONE}/p/3"}
    assert found.uncalled(truth) == {f"http://{ONE}/p/2"}
    assert found.missed(structs.replace(truth, sitemaps=frozenset({"s"}))) == {f"http://{ONE}/p/3", "s"}


def test_made_up_urls_are_found() -> None:
    guessed = (2, 3, ONE, "/sitemap.xml")
    found = judge(asked((0, 1, ONE, "/no/such/page"), (1, 2, ONE, "/"), guessed), WORLD)
    assert f"http://{ONE}/sitemap.xml" not in found.pages
    assert found.unknown == [f"http://{ONE}/no/such/page"]


def test_requests_at_the_wrong_address_are_found() -> None:
    found = judge(asked((0, 1, ONE, "/"), (1, 2, TWO, "/")), WORLD)  # both at the address of the first
    assert found.misplaced == [f"http://{TWO}/"]


def test_order_in_the_log_does_not_matter() -> None:
    rows = asked((0, 1, ONE, ROBOTS), (1, 2, ONE, "/"), (5, 6, ONE, "/p/1"))
    assert judge(rows[::-1], WORLD) == judge(rows, WORLD)
