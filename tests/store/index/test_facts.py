"""What a metadata record says is what was put in, and no page can break a line of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.messages import Errand, Failure, Kind, Link, LinkKind, Reason, Verdict
from skitter.ports import Capture
from skitter.store.index.facts import decode, encode, facts_of, one_line

ANY = st.text(max_size=30)
ANY_LINK = st.builds(Link, ANY, st.sampled_from(["a", "img"]), st.sampled_from(LinkKind), st.booleans(), ANY)


def test_a_block_reads_as_it_was_meant(capture: Callable[..., Capture]) -> None:
    seen = capture(
        lease={
            "parent": "https://a.example/up",
            "tries": 2,
            "chain": ("https://a.example/old",),
            "errand": Errand.SITEMAP,
        },
        verdict=Verdict(follow=True, reasons=(Reason.NOINDEX, Reason.TRAP)),
        refused={0: Reason.OUT_OF_SCOPE, 1: Reason.NOFOLLOW},
        fetched={"insecure": True, "failure": Failure(Kind.BOMB, "too big")},
    )
    assert encode(facts_of(seen, "sha256:00")).decode().split("\r\n") == [
        "host: a.example",
        "errand: sitemap",
        "depth: 2",
        "tries: 2",
        "redirectedFrom: https://a.example/old",
        "via: https://a.example/up",
        "fetchTimeMs: 250.000",
        "payloadLength: 12",
        "contentLength: 12",
        "contentDigest: sha256:00",
        "verdict: follow",
        "reason: noindex",
        "reason: trap",
        "failure: bomb",
        "failureDetail: too big",
        "insecure: yes",
        "charset: utf-8",
        "language: en",
        "title: Höme",
        "outlinkCount: 3",
        "outlink: https://b.example/next?x=1 a navigation follow,out_of_scope The next  page – ü",
        "outlink: https://b.example/ad a navigation nofollow,nofollow ",
        "outlink: https://c.example/i.png img embed follow a: b",
        "",
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(ANY_LINK, max_size=5),
    ANY,
    ANY,
    st.lists(st.sampled_from(Reason), max_size=3),
    st.integers(-(10**9), 10**12),
    st.dictionaries(st.integers(0, 4), st.sampled_from(Reason)),
)
def test_whatever_a_page_holds_comes_back(
    capture: Callable[..., Capture],
    links: list[Link],
    title: str,
    detail: str,
    reasons: list[Reason],
    micros: int,
    refused: dict[int, Reason],
) -> None:
    fetched = {"began": 0.0, "ended": micros / 1_000_000, "failure": Failure(Kind.RESET, detail)}
    refused = {place: reason for place, reason in refused.items() if place < len(links)}
    seen = capture(links=links, refused=refused, title=title, verdict=Verdict(reasons=reasons), fetched=fetched)
    facts = facts_of(seen, "sha256:00")
    again = decode(encode(facts))
    assert again.links == [tuple(link) for link in facts.links]
    assert again.micros == micros
    for name in facts.__struct_fields__:
        if name != "links":
            assert getattr(again, name) == getattr(facts, name), name


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"),
        ("two  spaces stay", "two  spaces stay"),
        ("a\r\nWARC-Type: response\r\n\r\n", "a WARC-Type: response"),
        ("nul\x00 and \u2028 line", "nul and line"),
        ("half a pair \ud800", "half a pair"),
        ("", ""),
    ],
    ids=["plain", "spaces", "injection", "separators", "surrogate", "empty"],
)
def test_a_field_is_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


@pytest.mark.parametrize("url", ["http://a.example/x y", "http://a.example/x y\n"], ids=["a space", "and a line break"])
def test_a_url_stays_one_word(url: str, capture: Callable[..., Capture]) -> None:
    link = Link(url, "a", LinkKind.NAVIGATION, False, "z")
    assert decode(encode(facts_of(capture(links=[link]), ""))).links == [
        ("http://a.example/x%20y", "a", "navigation", False, "z")
    ]


def test_lines_from_before_there_were_reasons_are_read() -> None:
    facts = decode(b"verdict: keep follow\r\noutlink: http://a.example/ a navigation nofollow a,b c\r\n")
    assert facts.links == [("http://a.example/", "a", "navigation", True, "a,b c")]
    assert (facts.refused, facts.verdict) == ({}, "keep follow")
