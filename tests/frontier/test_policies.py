"""The robots policies in memory: what they are taken to cost is what they cost, and the limit holds."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import pytest

from skitter.frontier.policies import Policies, size_of
from skitter.robots.answer import Access, Policy
from skitter.robots.rules import parse
from skitter.settings import RobotsSettings, Settings
from skitter.shard.records import RobotsRecord
from tests.frontiers import opened_shard

LINES = 200
LIMIT = 1024**2

BODIES = {
    "nothing": b"",
    "short lines": b"".join(b"Disallow: /%d\n" % number for number in range(LINES)),
    "usual lines": b"".join(b"Disallow: /a/folder/of/usual/length/%d?page=\n" % number for number in range(LINES)),
    "long lines": b"".join(b"Disallow: /%d%s\n" % (number, b"x" * 400) for number in range(LINES)),
    "stars": b"".join(b"Disallow: /%d/*/print*.html\n" % number for number in range(LINES)),
    "whole paths": b"".join(b"Disallow: /%d.html$\n" % number for number in range(LINES)),
    "both ways": b"".join(b"Disallow: /%d/\nAllow: /%d/a\n" % (number, number) for number in range(LINES)),
    "sitemaps": b"".join(b"Sitemap: http://a.org/%d.xml\n" % number for number in range(LINES)),
    "for others": b"User-agent: other\n" + b"".join(b"Disallow: /%d\n" % number for number in range(LINES)),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_policy_takes_about_as_much_memory_as_it_is_counted_for(body: bytes) -> None:
    parse(b"User-agent: *\nDisallow: /a*b$\n", "skitter")  # what is made at the first call is nobody's
    tracemalloc.start()
    try:
        policy = Policy(Access.RULES, 1.0, parse(b"User-agent: *\n" + body, "skitter"))
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert 0.4 * size_of(policy) - 1000 < taken < 1.2 * size_of(policy)


@pytest.mark.slow
def test_no_more_is_held_than_the_settings_allow(tmp_path: Path) -> None:
    settings = Settings(robots=RobotsSettings(memory=LIMIT))
    shard = opened_shard(tmp_path)
    body = b"User-agent: *\n" + BODIES["short lines"]
    origins = [f"http://h{number}.org" for number in range(20)]
    for origin in origins:
        shard.put_robots(origin, RobotsRecord(Access.RULES, 1.0, body, 1.0))
    shard.commit_settlements()
    policies = Policies(settings)
    gc.collect()
    tracemalloc.start()
    try:
        found = [policies.of(shard, origin) for origin in origins]
        assert all(policy is not None and not policy.allows("/7") for policy in found)
        del found
        gc.collect()
        assert LIMIT / 4 < tracemalloc.get_traced_memory()[0] < 1.2 * LIMIT
    finally:
        tracemalloc.stop()
        shard.close()
