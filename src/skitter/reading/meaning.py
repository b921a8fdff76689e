"""What an answer means, and what finding that out depends on. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from skitter.judge.verdict import verdict_of
from skitter.messages import Discovered, Errand, Failure, Fetched, Link, Reason, Said, Url, Verdict, header_values
from skitter.robots import directives
from skitter.settings import Settings
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint
from skitter.url.scope import Scope

UNKNOWN_QUALITY = 1.0


class Reading(Struct, frozen=True):
    """What an answer means."""

    failure: Failure | None = None
    reason: Reason | None = None  # why it is skipped
    better: str | None = None  # the same URL in the form the server prefers
    found: Sequence[Discovered] = ()
    known: int = 0  # links beside these that were seen before
    links: Sequence[Link] = ()
    refused: Mapping[int, Reason] = {}  # why links are not offered, by their place among the links
    verdict: Verdict = Verdict()
    title: str = ""
    lang: str = ""
    encoding: str = ""
    sketch: bytes | None = None  # of what the page says, see parse.sketch
    said: Said | None = None  # None: it is no page
    abroad: Mapping[str, int] = {}  # other hosts that it links to, with the place of the first link to each
    vouched: Sequence[str] = ()  # of these, hosts at hand that it speaks for
    canonical: Url | None = None  # the page that it says it is a copy of
    listed: str = ""  # what kind of a list it is; nothing: it is none
    hub: str = ""  # the WebSub hub that it names
    need: str = ""  # why it should be run in a browser, which it was not
    malformed: Sequence[str] = ()  # what is wrong with the page, as far as we notice
    fields: Mapping[str, str] = {}  # what plug-ins found in it
    marks: Mapping[int, str] = {}  # which plug-in refused a link, and why, by place: `name:reason`


class Rules(NamedTuple):
    """What reading depends on beside the answer."""

    settings: Settings
    canon: Canon
    scope: Scope


def discovered(
    url: Url,
    depth: int,
    worth: float,
    parent: str | None,
    *,
    errand: Errand = Errand.PAGE,
    last_modified: float | None = None,
    chain: tuple[str, ...] = (),
    every: float | None = None,
) -> Discovered:
    """Returns a URL as it is offered to its shard."""
    mark = fingerprint(url.key)
    return Discovered(url.href, url.host, mark, depth, worth, parent, errand, last_modified, chain, every=every)


def with_marks(reading: Reading) -> dict[int, str]:
    """Returns why links are refused, by place, with the plug-in that has refused one and its own reason."""
    return {**reading.refused, **{place: f"{Reason.PLUGIN}:{mark}" for place, mark in reading.marks.items()}}


def verdict_by_headers(fetched: Fetched, rules: Rules) -> Verdict:
    """Returns what we think of an answer that has nothing but its headers to ask us by."""
    sent = header_values(fetched.headers, "x-robots-tag")
    return verdict_of(directives.from_headers(sent, rules.settings.identity.robots_token)) if sent else Verdict()


@lru_cache(maxsize=64)
def media_of(content_type: str) -> str:
    """Returns the type in a Content-Type, without its parameters."""
    return content_type.partition(";")[0].strip().lower()


def begins_with(body: bytes, sign: bytes) -> bool:
    """Whether the first thing in `body`, white space and a byte order mark aside, is `sign`."""
    return body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(sign)
