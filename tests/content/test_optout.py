"""What a site reserves is found, whichever way it says so, and comes to the uses that an export obeys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skitter.content.optout import CATEGORIES, WORDS, Use, opt_out, refused_in
from skitter.robots.signals import Signals, signals_in

URL = "https://a.test/drafts/one.html?x=1"


def reserved(**said: object) -> list[str]:
    headers, metas = said.get("headers", []), said.get("metas", [])
    robots, tdmrep = said.get("robots", b""), said.get("tdmrep", b"")
    signals = signals_in(robots, "skitter", 10_000)  # type: ignore[arg-type]
    found = opt_out(headers, metas, "skitter", url=URL, signals=signals, tdmrep=tdmrep)  # type: ignore[arg-type]
    return [str(use) for use in found.reserved]


@pytest.mark.parametrize(
    ("said", "uses"),
    [
        ({}, []),
        ({"headers": [("X-Robots-Tag", "noai")]}, ["ai_input", "ai_train"]),
        ({"headers": [("X-Robots-Tag", "googlebot: noindex, noai")]}, []),
        ({"headers": [("X-Robots-Tag", "skitter: noarchive")]}, ["archive"]),
        ({"metas": [("robots", "NOINDEX, nosnippet")]}, ["index", "snippet"]),
        ({"metas": [("otherbot", "noindex")]}, []),
        ({"metas": [("robots", "none")]}, ["index"]),
        ({"metas": [("robots", "noimageai")]}, ["ai_images"]),
        ({"metas": [("tdm-reservation", "1")]}, ["ai_train", "tdm"]),
        ({"headers": [("TDM-Reservation", "0")], "metas": [("tdm-reservation", "1")]}, []),
        ({"tdmrep": b'[{"location": "/drafts/*", "tdm-reservation": 1}]'}, ["ai_train", "tdm"]),
        ({"tdmrep": b'[{"location": "/other/", "tdm-reservation": 1}]'}, []),
        (
            {"tdmrep": b'[{"location": "/drafts/one", "tdm-reservation": 0},{"location": "/", "tdm-reservation": 1}]'},
            [],
        ),
        ({"tdmrep": b'[{"location": "*.html$", "tdm-reservation": 1}]'}, []),
        ({"tdmrep": b"[[[["}, []),
        ({"robots": b"User-agent: *\nContent-Signal: search=yes, ai-train=no"}, ["ai_train"]),
        ({"robots": b"Content-Signal: ai-train=no"}, ["ai_train"]),
        ({"robots": b"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /x\nUser-agent: skitter\nDisallow:"}, []),
        ({"robots": b"User-agent: other\nDisallow:\nContent-Signal: ai-train=no"}, []),
        (
            {"robots": b"User-agent: *\nAllow: /\nContent-Usage: train-ai=y\nContent-Usage: /drafts/ train-ai=n"},
            ["ai_train"],
        ),
        ({"robots": b"User-agent: *\nContent-Usage: /elsewhere/ train-ai=n"}, []),
        ({"robots": b"User-agent: *\ncontent_signal : search=no # please"}, ["index"]),
    ],
)
def test_every_way_to_say_so(said: dict[str, object], uses: list[str]) -> None:
    assert reserved(**said) == uses


def test_what_was_said_is_kept_as_it_was() -> None:
    signals = signals_in(b"User-agent: *\nContent-Signal: search=yes,  ai-train=no\n", "skitter", 10_000)
    found = opt_out(
        [("tdm-reservation", "1"), ("tdm-policy", "https://a.test/p")], [], "skitter", url=URL, signals=signals
    )
    assert found.content_signal == "search=yes, ai-train=no"
    assert (found.tdm_reservation, found.tdm_policy) == (True, "https://a.test/p")
    assert opt_out([], [], "skitter").tdm_reservation is None


def test_the_tables_speak_of_uses_only_and_of_all_of_them() -> None:
    assert {use for uses in (*WORDS.values(), *CATEGORIES.values()) for use in uses} == set(Use)


@pytest.mark.slow
@given(st.binary(max_size=300), st.text(max_size=60), st.binary(max_size=200))
def test_any_bytes_are_borne(robots: bytes, said: str, tdmrep: bytes) -> None:
    signals = signals_in(robots, "skitter", 200)
    found = opt_out([("x-robots-tag", said)], [(said, said)], "skitter", url=URL, signals=signals, tdmrep=tdmrep)
    assert set(found.reserved) <= set(Use)
    (found.content_signal + found.content_usage + found.tdm_policy).encode()


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(sorted(CATEGORIES)), st.sampled_from(["yes", "no", "y", "n", "maybe"]))))
def test_only_what_is_refused_is_reserved(pairs: list[tuple[str, str]]) -> None:
    said = ", ".join(f"{name}={value}" for name, value in pairs)
    expected = {use for name, value in pairs if value in ("no", "n") for use in CATEGORIES[name]}
    assert set(refused_in(said)) == expected


def test_of_several_signals_the_longest_path_counts() -> None:
    text = b"User-agent: *\nContent-Signal: ai-train=no\nContent-Signal: /open/ ai-train=yes\n"
    signals = signals_in(text, "skitter", 10_000)
    assert signals.signal_for("/open/a") == "ai-train=yes"
    assert signals.signal_for("/closed") == "ai-train=no"
    assert Signals().signal_for("/") == ""
