from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.messages import Directives
from skitter.robots.directives import MEANINGS, from_headers, from_meta, is_nofollow, merge

NOINDEX = Directives(noindex=True)
NOFOLLOW = Directives(nofollow=True)
NONE = Directives(noindex=True, nofollow=True)
NOTHING = Directives()


@pytest.mark.parametrize(
    ("metas", "expected"),
    [
        pytest.param([], NOTHING, id="no-meta"),
        pytest.param([("robots", "noindex")], NOINDEX, id="noindex"),
        pytest.param([("robots", "noindex,nofollow")], NONE, id="both"),
        pytest.param([("robots", " NoIndex ,\tNOFOLLOW ")], NONE, id="any-case"),
        pytest.param([("robots", "noindex nofollow")], NONE, id="spaces"),
        pytest.param([("robots", "noindex;nofollow")], NONE, id="semicolons"),
        pytest.param([("ROBOTS", "none")], NONE, id="none"),
        pytest.param([("robots", "all"), ("robots", "index, follow")], NOTHING, id="no-restriction"),
        pytest.param([("robots", "index,nofollow")], NOFOLLOW, id="mixed"),
        pytest.param([("robots", "noindex"), ("robots", "nofollow")], NONE, id="two-elements"),
        pytest.param([("robots", "noindex"), ("robots", "index")], NOINDEX, id="strictest"),
        pytest.param([("robots", "nofollow"), ("Skitter", "noindex")], NONE, id="ours-adds"),
        pytest.param([("robots", "none"), ("skitter", "all")], NONE, id="ours-does-not-take-away"),
        pytest.param([("googlebot", "none")], NOTHING, id="theirs"),
        pytest.param([("skitterbot", "none")], NOTHING, id="longer-name"),
        pytest.param([("description", "noindex")], NOTHING, id="other-meta"),
        pytest.param([("robots", "")], NOTHING, id="empty"),
        pytest.param([("robots", "noindexx, snoindex")], NOTHING, id="other-words"),
        pytest.param([("robots", "noarchive, nosnippet, noimageindex")], NOTHING, id="nothing-to-do-with-us"),
        pytest.param([("robots", "unavailable_after: 15 Aug 2005 15:52:01 GMT, noindex")], NOINDEX, id="a-date"),
    ],
)
def test_meta(metas: list[tuple[str, str]], expected: Directives) -> None:
    assert from_meta(metas, "skitter") == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([], NOTHING, id="no-header"),
        pytest.param(["none"], NONE, id="none"),
        pytest.param(["noindex", "nofollow"], NONE, id="two-headers"),
        pytest.param(["noindex, nofollow"], NONE, id="one-header"),
        pytest.param(["Skitter: NoIndex"], NOINDEX, id="ours"),
        pytest.param(["skitter/1.0: noindex"], NOINDEX, id="ours-with-version"),
        pytest.param(["skitter: noindex, nofollow"], NONE, id="a-name-holds-on"),
        pytest.param(["googlebot: noindex, nofollow"], NOTHING, id="theirs"),
        pytest.param(["googlebot: noindex, skitter: nofollow"], NOFOLLOW, id="theirs-then-ours"),
        pytest.param(["skitter: nofollow, googlebot: noindex"], NOFOLLOW, id="ours-then-theirs"),
        pytest.param(["nofollow, googlebot: noindex"], NOFOLLOW, id="all-then-theirs"),
        pytest.param(["googlebot: none", "noindex"], NOINDEX, id="a-name-ends-with-its-header"),
        pytest.param(["robots: noindex"], NOINDEX, id="robots"),
        pytest.param(["max-snippet: 5, noindex"], NOINDEX, id="a-value-is-no-name"),
        pytest.param(["max-image-preview:large, max-video-preview: -1, noindex"], NOINDEX, id="more-values"),
        pytest.param([":noindex", ",,;", "::"], NOTHING, id="junk"),
    ],
)
def test_headers(values: list[str], expected: Directives) -> None:
    assert from_headers(values, "skitter") == expected


@pytest.mark.parametrize(
    "date",
    [
        "Monday, 15-Aug-05 15:52:01 UTC",
        "Mon, 15 Aug 2005 15:52:01 GMT",
        "15 Aug 2005 15:52:01 GMT",
        "2005-08-15T15:52:01Z",
        "2005-08-15 15:52:01",
        "someday",
        "",
        "1" * 10_000,
    ],
)
def test_no_date_is_taken_for_a_name(date: str) -> None:
    assert from_headers([f"unavailable_after: {date}, noindex"], "skitter") == NOINDEX
    assert from_headers([f"nofollow, skitter: Unavailable_After: {date}, noindex"], "skitter") == NONE
    assert from_headers([f"googlebot: unavailable_after: {date}, noindex"], "skitter") == NOTHING
    assert from_meta([("robots", f"unavailable_after:{date},noindex")], "skitter") == NOINDEX


def test_merge_takes_the_strictest_of_each() -> None:
    assert merge(NOINDEX, NOFOLLOW) == merge(NOFOLLOW, NOINDEX) == NONE
    assert merge(NOINDEX, NOTHING) == NOINDEX
    assert merge(NOTHING, NOTHING) == NOTHING


@pytest.mark.parametrize("word", MEANINGS)
def test_each_word_restricts_from_either_place(word: str) -> None:
    assert from_meta([("robots", word)], "skitter") == from_headers([word], "skitter") != NOTHING


@pytest.mark.parametrize(
    ("rel", "expected"),
    [
        ("nofollow", True),
        ("ugc", True),
        ("sponsored", True),
        ("NoFollow", True),
        ("noopener nofollow\texternal", True),
        ("noopener,ugc", True),
        ("", False),
        ("follow", False),
        ("noopener noreferrer", False),
        ("nofollower", False),
        ("no follow", False),
    ],
)
def test_is_nofollow(rel: str, expected: bool) -> None:
    assert is_nofollow(rel) is expected


PIECES = st.sampled_from(
    ["noindex", "unavailable_after:", "skitter:", "x:", ",", ";", " ", "Sunday", "15-Aug-05 1:2:3", "2005-"]
)


@settings(max_examples=60, deadline=None)
@given(st.text() | st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_nothing_raises(text: str) -> None:
    assert merge(from_headers([text], "skitter"), from_meta([("robots", text)], "skitter")) is not None
    assert is_nofollow(text) in (True, False)
