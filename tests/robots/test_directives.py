from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.messages import Directives
from skitter.robots.directives import MEANINGS, from_headers, from_meta, is_nofollow, merge

NOINDEX = Directives(noindex=True)
NOFOLLOW = Directives(nofollow=True)
NONE = Directives(noindex=True, nofollow=True)
NOTHING = Directives()
AUGUST_2005 = 1_124_121_121.0  # 2005-08-15 15:52:01 UTC


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
        pytest.param([("robots", "nocache")], Directives(noarchive=True), id="nocache"),
        pytest.param(
            [("robots", "noarchive, nosnippet, noimageindex")],
            Directives(noarchive=True, nosnippet=True, noimageindex=True),
            id="the-rest",
        ),
        pytest.param(
            [("robots", "unavailable_after: 15 Aug 2005 15:52:01 GMT, noindex")],
            Directives(noindex=True, unavailable_after=AUGUST_2005),
            id="unavailable-after",
        ),
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
    ("date", "epoch"),
    [
        ("Monday, 15-Aug-05 15:52:01 UTC", AUGUST_2005),
        ("Mon, 15 Aug 2005 15:52:01 GMT", AUGUST_2005),
        ("15 Aug 2005 15:52:01 GMT", AUGUST_2005),
        ("15-Aug-2005 10:52:01 EST", AUGUST_2005),
        ("15 Aug 2005 08:52:01 -0700", AUGUST_2005),
        ("2005-08-15T15:52:01Z", AUGUST_2005),
        ("2005-08-15T17:52:01+02:00", AUGUST_2005),
        ("2005-08-15 15:52:01 UTC", AUGUST_2005),
        ("2005-08-15 15:52:01", AUGUST_2005),
        ("2005-08-15", AUGUST_2005 - 57121),
        ("someday", None),
        ("", None),
        ("2005-99-99", None),
        ("99 Foo 2005 25:61:61", None),
        ("1" * 10_000, None),
    ],
)
def test_unavailable_after(date: str, epoch: float | None) -> None:
    expected = Directives(noarchive=True, unavailable_after=epoch)
    assert from_headers([f"unavailable_after: {date}, noarchive"], "skitter") == expected
    assert from_headers([f"noarchive, skitter: Unavailable_After: {date}"], "skitter") == expected
    assert from_meta([("robots", f"unavailable_after:{date},noarchive")], "skitter") == expected


@pytest.mark.parametrize("date", ["2005-08-15 15:52:01", "15 Aug 2005 15:52:01"])
def test_a_date_without_a_zone_is_utc_wherever_we_run(date: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert from_headers([f"unavailable_after: {date}"], "skitter").unavailable_after == AUGUST_2005
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_date_for_others_is_theirs() -> None:
    assert from_headers(["googlebot: unavailable_after: Monday, 15-Aug-05 15:52:01 UTC"], "skitter") == NOTHING


def test_merge_takes_the_strictest_of_each() -> None:
    one = Directives(noindex=True, nosnippet=True, unavailable_after=5.0)
    other = Directives(nofollow=True, noarchive=True, noimageindex=True, unavailable_after=3.0)
    assert merge(one, other) == Directives(True, True, True, True, True, 3.0)
    assert merge(other, one) == merge(one, other)
    assert merge(one, NOTHING) == one
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
