"""The kernel's survey says what the plain one says, whatever is on the web."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.config.suffixes import newest_list
from skitter.rank.survey.marks import CaptureMark, LinkMark
from skitter.rank.survey.plain import SIGNALS, PlainSurvey, Surveyed
from skitter.rank.survey.quick import QuickSurvey
from skitter.url.domains import Domains
from tests.rank.webs import DOMAINS, Capture, Link, capture_batch, surveyed

HOSTS = ["a.com", "www.a.com", "b.a.com", "b.co.uk:8080", "x.y.ck", "www.ck", "u.github.io", "127.0.0.1", "[::1]:80"]
AUTHORITIES = [*HOSTS, "www.com", "me@c.com", "c.com.", "www.d.com.:81", "D.com", "", "a..b", "sim.test", "h.sim.test"]


def both(links: Sequence[Link], captures: Sequence[Capture] = (), seeds: Sequence[str] = ()) -> Surveyed:
    """Returns what both say, after it was seen that they say the same."""
    plain = surveyed(PlainSurvey(DOMAINS), links, captures, seeds)
    quick = surveyed(QuickSurvey(DOMAINS), links, captures, seeds)
    for one, other in ((plain.hosts, quick.hosts), (plain.domains, quick.domains)):
        for field in SIGNALS:
            mine, theirs = one[field.name].to_pylist(), other[field.name].to_pylist()
            assert mine == (pytest.approx(theirs, abs=1e-9) if field.type == pa.float64() else theirs), field.name
    return quick


urls = st.builds(
    lambda scheme, authority, path: f"{scheme}{authority}{path}",
    st.sampled_from(["http://", "https://", "", "a://b"]),
    st.sampled_from(AUTHORITIES) | st.text("abw.:@[]1", max_size=9),
    st.sampled_from(["/", "", "/x", "/a://b/", "?q"]),
)
links_of = st.lists(st.tuples(urls, urls, st.sampled_from(list(LinkMark))), max_size=40)
captures_of = st.lists(
    st.tuples(
        st.sampled_from([*HOSTS, ""]),
        st.text("ab", max_size=2),
        st.text("xy", max_size=1),
        st.sampled_from([0, 1, 2, 3, 255, 2**64 - 1, 2**63]),
        st.integers(0, 3),
        st.integers(0, 63).filter(lambda mark: mark & 3 != 3),
    ),
    max_size=30,
)


@pytest.mark.slow
@given(links_of, captures_of, st.lists(st.sampled_from(HOSTS), max_size=2))
@settings(max_examples=60, deadline=None)
def test_both_say_the_same(links: list[Link], captures: list[Capture], seeds: list[str]) -> None:
    both(links, captures, seeds)


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [30, 1500])
def test_both_say_the_same_of_a_large_web(nodes: int) -> None:
    dice = random.Random(nodes)

    def page() -> str:
        return f"http://h{int(dice.random() ** 3 * nodes)}.com/{dice.randrange(5)}"

    links = [(page(), page(), dice.choice([0, 1, 2, 2, 2])) for _ in range(12 * nodes)]
    captures = []
    for _ in range(10 * nodes):
        host, text = dice.randrange(nodes), dice.getrandbits(64)
        for mirror in (host, (host * 7) % nodes):
            near = text ^ (1 << dice.randrange(64))
            name = f"h{mirror}.com"
            captures.append((name, f"http://{name}/{text}", str(text), near, dice.randrange(9), CaptureMark.PAGE))
    found = both(links, captures, ["h1.com", "h2.com"])
    assert sum(found.domains["pagerank"].to_pylist()) == pytest.approx(1)
    assert sum(found.domains["trust"].to_pylist()) == pytest.approx(1)


def test_nothing_at_all() -> None:
    assert (both([]).hosts.num_rows, both([]).domains.num_rows) == (0, 0)


@pytest.mark.slow
def test_domains_are_those_of_the_crawl_by_every_rule_of_the_list() -> None:
    domains = Domains.from_list(newest_list(), ["shops.example"])
    rules = domains.frozen().decode().split("\n")[2:-1]
    names = [rule.removeprefix("!").replace("*", "any") for rule in rules]
    hosts = [f"{ahead}{name}" for name in names for ahead in ("", "a.", "b.a.", "c.b.a.")]
    survey = QuickSurvey(domains)
    survey.captures(capture_batch([(host, host, "", 0, 0, 0) for host in hosts]))
    found = survey.settle([])
    told = found.domains["name"].take(found.hosts["domain"]).to_pylist()
    expected = {host: domains.domain_of(host) for host in hosts}
    assert dict(zip(found.hosts["name"].to_pylist(), told, strict=True)) == expected
