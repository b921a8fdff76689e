"""What the operator can choose: one frozen section per part, each field with meaning, default and range.

`config` fills these from a file, the environment and flags. A part receives its own section and nothing else.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all sections."""


class IdentitySettings(Section, frozen=True):
    """Who we say we are. Skitter never disguises itself."""

    robots_token: Annotated[
        str,
        Meta(
            description="The name that robots.txt, meta robots and X-Robots-Tag know us by: letters, `-` and `_` only.",
            pattern="^[A-Za-z_-]+$",
        ),
    ] = "skitter"  # noqa: S105 (a token, not a password)


class UrlSettings(Section, frozen=True):
    """Which URLs count as one. Every rule here changes the dedup key only, never the URL that is fetched."""

    max_length: Annotated[
        int,
        Meta(description="URLs longer than this are skipped; raising it lets more traps in.", ge=64, le=65536),
    ] = 2048
    drop_www: Annotated[bool, Meta(description="`www.example.org` is `example.org`.")] = True
    drop_trailing_slash: Annotated[bool, Meta(description="`/a/` is `/a`.")] = True
    drop_index: Annotated[
        bool, Meta(description="`/a/index.html` is `/a/`; also index.htm, index.php, default.asp …")
    ] = True
    collapse_slashes: Annotated[bool, Meta(description="`/a//b` is `/a/b`.")] = True
    sort_query: Annotated[bool, Meta(description="`?b=2&a=1` is `?a=1&b=2`; `?a` is `?a=`, and `+` is `%20`.")] = True
    drop_empty_query: Annotated[bool, Meta(description="`/a?` is `/a`.")] = True
    drop_tracking: Annotated[
        bool, Meta(description="Parameters that only tell where a visitor came from do not count.")
    ] = True
    drop_sessions: Annotated[bool, Meta(description="Session ids do not count, as a parameter or in the path.")] = True
    fold_escapes: Annotated[
        bool, Meta(description="A sign that RFC 3986 wants escaped is its escape: `|` is `%7C`.")
    ] = True
    merge_schemes: Annotated[bool, Meta(description="http and https are one. Off: the two may differ.")] = False
    tracking_parameters: Annotated[
        tuple[str, ...],
        Meta(description="More tracking parameters beside the known ones; a trailing `*` stands for any ending."),
    ] = ()
    session_parameters: Annotated[
        tuple[str, ...], Meta(description="More session parameters, beside the known ones.")
    ] = ()


class ScopeSettings(Section, frozen=True):
    """How far from the seeds to go."""

    reach: Annotated[
        Literal["host", "domain", "any"],
        Meta(description="`host`: the seeds' hosts; `domain`: their registrable domains; `any`: everywhere."),
    ] = "domain"
    allow: Annotated[
        tuple[str, ...],
        Meta(description="RE2 patterns; if there are any, a URL must match one of them. Searched in the whole URL."),
    ] = ()
    deny: Annotated[tuple[str, ...], Meta(description="RE2 patterns; a URL that matches one of them is skipped.")] = ()
    max_depth: Annotated[int, Meta(description="Links from a seed to a page, at the most.", ge=0, le=1000)] = 20


class RobotsSettings(Section, frozen=True):
    """How robots.txt is read and kept."""

    max_bytes: Annotated[
        int,
        Meta(
            description="What is read of a robots.txt; RFC 9309 wants at least 500 KiB.", ge=500 * 1024, le=10 * 1024**2
        ),
    ] = 500 * 1024
    max_redirects: Annotated[
        int, Meta(description="Redirects followed to reach it; RFC 9309 wants at least 5.", ge=5, le=20)
    ] = 5
    max_crawl_delay: Annotated[
        float,
        Meta(
            description="A longer Crawl-delay is taken as this: the host is visited rarely, never dropped.",
            ge=1,
            le=DAY,
        ),
    ] = HOUR


class PolitenessSettings(Section, frozen=True):
    """How often a host is visited."""

    delay: Annotated[
        float,
        Meta(description="Seconds between two requests to a host, if it asks for no more.", ge=0, le=DAY),
    ] = 1.0
    max_delay: Annotated[float, Meta(description="Back-off doubles a host's delay up to this.", ge=1, le=7 * DAY)] = (
        HOUR
    )
    max_retry_after: Annotated[
        float,
        Meta(description="A Retry-After beyond this is taken as this.", ge=MINUTE, le=30 * DAY),
    ] = DAY
    max_tries: Annotated[int, Meta(description="Tries before a URL is given up as dead.", ge=1, le=100)] = 5


class ScheduleSettings(Section, frozen=True):
    """When a page is seen again."""

    recrawl: Annotated[bool, Meta(description="Come back to pages at all.")] = False
    host_class: Annotated[
        Literal["news", "generic", "dormant"],
        Meta(description="The floor and ceiling for hosts of which nothing is known yet."),
    ] = "generic"


class ParseSettings(Section, frozen=True):
    """How much is read out of a page. Raising a limit costs memory and time per page."""

    max_links: Annotated[int, Meta(description="Links kept of a page: the first ones.", ge=0, le=100_000)] = 1000
    max_anchor: Annotated[int, Meta(description="Characters kept of an anchor text.", ge=0, le=10_000)] = 200
    max_text: Annotated[int, Meta(description="Characters kept of a page's visible text.", ge=0, le=100_000_000)] = (
        1_000_000
    )
    max_sitemap_urls: Annotated[int, Meta(description="Entries kept of a sitemap.", ge=1, le=1_000_000)] = 50_000
    max_sitemap_bytes: Annotated[int, Meta(description="What is read of a sitemap, unpacked.", ge=1024, le=1024**3)] = (
        50 * 1024**2
    )


class Settings(Section, frozen=True):
    """All of it."""

    identity: IdentitySettings = IdentitySettings()
    url: UrlSettings = UrlSettings()
    scope: ScopeSettings = ScopeSettings()
    robots: RobotsSettings = RobotsSettings()
    politeness: PolitenessSettings = PolitenessSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    parse: ParseSettings = ParseSettings()
