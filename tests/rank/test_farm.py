"""A farm of 2,000 hosts on 40 domains that link to one another, and two honest sites that link to it: it stays low."""

from __future__ import annotations

import random
from collections.abc import Iterator
from statistics import median

import pytest

from skitter.rank.survey.marks import LinkMark
from tests.rank.webs import Link, rated

FARM, HOSTS_EACH, HONEST = 40, 50, 200
NEW = 30


def link(source: str, target: str) -> Link:
    return f"http://{source}/page", f"http://{target}/", LinkMark.VOUCHES


def honest(number: int) -> str:
    return f"honest{number}.com"


def farm_host(dice: random.Random) -> str:
    return f"h{dice.randrange(HOSTS_EACH)}.farm{dice.randrange(FARM)}.com"


def sparse(dice: random.Random) -> Iterator[Link]:
    """Sites that link to a few others, the popular ones most, and new ones that a single site links to."""
    for number in range(HONEST):
        for _ in range(6):
            yield link(honest(number), honest(int(dice.random() ** 2 * HONEST)))
    for number in range(NEW):
        yield link(honest(dice.randrange(HONEST)), f"new{number}.com")


def dense(_: random.Random) -> Iterator[Link]:
    """Few sites with many pages: each links to each."""
    for number in range(FARM):
        yield from (link(honest(number), honest(other)) for other in range(FARM))


def farm(dice: random.Random, entries: int, *, links_back: bool) -> Iterator[Link]:
    for domain in range(FARM):
        for host in range(HOSTS_EACH):
            source = f"h{host}.farm{domain}.com"
            yield from (link(source, farm_host(dice)) for _ in range(20))
            if links_back and not host % 10:
                yield link(source, honest(dice.randrange(20)))
    for site in (7, 8):
        yield from (link(honest(site), f"h{site}.farm{domain}.com") for domain in range(entries))


@pytest.mark.slow
@pytest.mark.parametrize("links_back", [False, True], ids=["to itself alone", "to honest sites too"])
@pytest.mark.parametrize("entries", [1, 2, FARM])
@pytest.mark.parametrize("web", [sparse, dense])
def test_no_domain_of_a_farm_is_in_the_best_half(web: object, entries: int, *, links_back: bool) -> None:
    assert callable(web)
    dice = random.Random(entries)
    links = [*web(dice), *farm(dice, entries, links_back=links_back)]
    ranks = rated(links, seeds=[honest(0), honest(1), honest(2)])
    worth = {name: float(str(rank["worth"])) for name, rank in ranks.items() if rank["kind"] == "domain"}
    farmed = [worth[f"farm{number}.com"] for number in range(FARM)]
    others = [value for name, value in worth.items() if not name.startswith("farm")]
    assert max(farmed) < median(worth.values())
    assert max(farmed) < min(others) or max(farmed) < sorted(others)[len(others) // 10]
    assert max(float(str(rank["worth"])) for name, rank in ranks.items() if "farm" in name) < 0.3
    assert all("ring" in ranks[f"farm{number}.com"]["reasons"] for number in range(FARM))  # type: ignore[operator]


@pytest.mark.slow
def test_in_degree_alone_would_put_it_on_top() -> None:
    dice = random.Random(1)
    ranks = rated([*sparse(dice), *farm(dice, 1, links_back=False)], seeds=[honest(0)])
    degrees = {name: int(str(rank["in_degree"])) for name, rank in ranks.items() if rank["kind"] == "domain"}
    best = sorted(degrees, key=lambda name: -degrees[name])[: len(degrees) // 5]
    assert sum(name.startswith("farm") for name in best) >= FARM - 5
