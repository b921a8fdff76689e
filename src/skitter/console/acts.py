"""What the operator may tell a crawl, one struct for each, and what comes of it. Pure.

They are the bodies of the API's writes, and what the dashboard's buttons send.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from skitter.settings import DAY

LONGEST_NAME = 300
LONGEST_URL = 4000
LONGEST_TEXT = 10_000
MOST_SEEDS = 10_000

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Address: TypeAlias = Annotated[str, Meta(min_length=1, max_length=LONGEST_URL)]


class PauseHost(Struct, frozen=True, forbid_unknown_fields=True):
    """Leave a host alone until it is resumed. What it has queued stays queued."""

    host: Name
    anyway: bool = False  # also if the crawl does not know it yet


class ResumeHost(Struct, frozen=True, forbid_unknown_fields=True):
    """Take a host up again that was paused."""

    host: Name
    anyway: bool = False


class RateHost(Struct, frozen=True, forbid_unknown_fields=True):
    """Visit a host every so many seconds, as agreed with its owner; null: as every other."""

    host: Name
    seconds: Annotated[float, Meta(ge=0, le=DAY)] | None
    anyway: bool = False


class BlockDomain(Struct, frozen=True, forbid_unknown_fields=True):
    """Fetch nothing more of a domain, until it is allowed."""

    domain: Name


class AllowDomain(Struct, frozen=True, forbid_unknown_fields=True):
    """Vouch for a domain: it is crawled as if it had been named as a seed."""

    domain: Name


class BoostDomain(Struct, frozen=True, forbid_unknown_fields=True):
    """Fetch so many pages of a domain, the best ones, before all others."""

    domain: Name
    pages: Annotated[int, Meta(ge=1, le=10**9)] = 10_000


class RecrawlPages(Struct, frozen=True, forbid_unknown_fields=True):
    """See pages again now: one URL, those of a host, or with `all` every page of the crawl."""

    url: Address | None = None
    host: Name | None = None
    all: bool = False


class RetryDead(Struct, frozen=True, forbid_unknown_fields=True):
    """Try URLs again that were given up, of one host or of all; or those that went when the disk ran full."""

    host: Name | None = None
    purged: bool = False


class AddSeeds(Struct, frozen=True, forbid_unknown_fields=True):
    """Add URLs to begin with; they widen the scope as the first ones did."""

    urls: Annotated[Sequence[Address], Meta(min_length=1, max_length=MOST_SEEDS)]
    priority: Annotated[float, Meta(ge=0, le=1)] | None = None  # None: as the first ones


class ChangeSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Change settings that can change while a crawl runs, by key: `{"politeness.delay": 2}`."""

    set: Annotated[Mapping[str, Any], Meta(min_length=1, max_length=100)]


class SetMode(Struct, frozen=True, forbid_unknown_fields=True):
    """How much of the crawl goes on: 0 all, 1 gently, 2 known pages only, 3 fetch nothing, 4 stop."""

    mode: Annotated[int, Meta(ge=0, le=4)]


class Complain(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody wrote about a host. `slow`: half as often from now on; `block`: its domain is left alone."""

    host: Name
    text: Annotated[str, Meta(max_length=LONGEST_TEXT)]
    act: Literal["none", "slow", "block"] = "none"


Act: TypeAlias = (
    PauseHost
    | ResumeHost
    | RateHost
    | BlockDomain
    | AllowDomain
    | BoostDomain
    | RecrawlPages
    | RetryDead
    | AddSeeds
    | ChangeSettings
    | SetMode
    | Complain
)


class SeedLine(Struct, frozen=True):
    """What became of a seed: `accepted`, or `known` before."""

    url: str
    state: Literal["accepted", "known"]


class Done(Struct, frozen=True):
    """What was done: a sentence, what it was about, what was before and is then, and from when on it holds."""

    what: str
    target: str
    before: Any = None
    after: Any = None
    effect: str = ""
    accepted: int | None = None  # of seeds
    known: int | None = None
    seeds: Sequence[SeedLine] = ()
