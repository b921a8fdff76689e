"""Random crawls of several hosts over several nodes and files, held against a naive reading of the whole timeline."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.audit.report import Breach
from skitter.messages import Errand
from skitter.url.keys import host_of
from tests.audit.timeline import Step, audited, page, robots

HOSTS = ("http://a.example", "http://www.a.example", "http://b.example", "http://c.example:81")
PATHS = ("/yes", "/no", "/robots.txt")


@st.composite
def crawls(draw: st.DrawFn) -> list[Step]:
    now, steps = 0.0, []
    for at in range(draw(st.integers(1, 25))):
        now += draw(st.sampled_from([0.1, 0.3, 0.6, 1.2]))
        url = draw(st.sampled_from(HOSTS)) + draw(st.sampled_from(PATHS))
        more = {"node": draw(st.integers(0, 2)), "roll": draw(st.booleans())}
        if url.endswith("/robots.txt"):
            text = draw(st.sampled_from(["", "User-agent: *\nDisallow: /no\n"]))
            steps.append(robots(now, url, text, took=0.05, status=draw(st.sampled_from([200, 200, 500])), **more))
        else:
            steps.append(page(now, f"{url}?{at}", took=draw(st.sampled_from([0.05, 2.5])), **more))
    return steps


def expected(steps: list[Step]) -> Counter[Breach]:
    counts: Counter[Breach] = Counter()
    for at, step in enumerate(steps):
        earlier = [one for one in steps[:at] if host_of(one.url) == host_of(step.url)]
        if earlier and step.at - earlier[-1].at < 0.995:
            counts[Breach.TOO_EARLY] += 1
        elif earlier and earlier[-1].at + earlier[-1].took <= step.at < earlier[-1].at + 2 * earlier[-1].took - 0.005:
            counts[Breach.LOADED] += 1  # a slow host is a loaded host
        if any(one.at + one.took - 0.005 > step.at for one in earlier):
            counts[Breach.AT_ONCE] += 1
        if step.errand is not Errand.ROBOTS:
            counts.update(robots_breach(step, earlier))
    return counts


def robots_breach(step: Step, earlier: list[Step]) -> list[Breach]:
    origin = step.url.rpartition("/")[0]
    answers = [one for one in earlier if one.url == f"{origin}/robots.txt"]
    read = [one for one in answers if one.status == 200]
    if not answers:
        return [Breach.ROBOTS_UNKNOWN]
    if not read:
        return [Breach.ROBOTS_UNREADABLE]
    return [Breach.FORBIDDEN] if b"/no" in read[-1].payload and "/no" in step.url else []


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(crawls())
def test_random_crawls_are_judged_as_by_hand(steps: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        assert Counter(audited(Path(folder), steps).counts) == expected(steps)
