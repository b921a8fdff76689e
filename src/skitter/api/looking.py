"""What can be asked of a crawl: how it stands, its hosts and URLs, its numbers over time. Nothing is changed by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar

from msgspec import Meta, Struct

from skitter.api.endpoints import Asked, Endpoint
from skitter.api.problems import Problem
from skitter.api.stream import MEDIA as EVENTS
from skitter.api.stream import streamed
from skitter.api.tokens import Role
from skitter.console.acts import LONGEST_NAME, LONGEST_URL
from skitter.console.port import Console
from skitter.console.table import COLUMNS
from skitter.console.views import (
    Complaint,
    CrawlLine,
    Entry,
    HostsPage,
    HostView,
    Overview,
    Series,
    SettingLine,
    UrlsPage,
)
from skitter.inspection.domains import DomainLook
from skitter.inspection.history import History
from skitter.inspection.why import Story
from skitter.messages import Reason

T = TypeVar("T")
DAY = 86400.0
Cursor = Annotated[str, Meta(max_length=2 * LONGEST_URL)]
Limit = Annotated[int, Meta(ge=1, le=500)]


class HostsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which hosts."""

    search: Annotated[str, Meta(max_length=LONGEST_NAME)] = ""
    sort: Annotated[str, Meta(pattern=f"^({'|'.join(COLUMNS)})$")] = "queued"
    order: Literal["asc", "desc"] = "desc"
    cursor: Cursor = ""
    limit: Limit = 50


class UrlQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which URL."""

    url: Annotated[str, Meta(min_length=1, max_length=LONGEST_URL)]


class PrefixQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which URLs: how they begin, with a host at least."""

    prefix: Annotated[str, Meta(min_length=1, max_length=LONGEST_URL)]
    cursor: Cursor = ""
    limit: Limit = 50


class SeriesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Of the last so many seconds."""

    span: Annotated[float, Meta(ge=60.0, le=DAY)] = 3600.0


class LastQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """So many, the newest first."""

    limit: Limit = 100


class Crawls(Struct, frozen=True):
    """The crawls that are served here."""

    crawls: Sequence[CrawlLine]


class Review(Struct, frozen=True):
    """Domains that wait for a decision."""

    domains: Sequence[DomainLook]


class SettingsNow(Struct, frozen=True):
    """Settings that can change while a crawl runs."""

    settings: Sequence[SettingLine]


class Changes(Struct, frozen=True):
    """The log of changes."""

    changes: Sequence[Entry]


class Complaints(Struct, frozen=True):
    """What people wrote about hosts."""

    complaints: Sequence[Complaint]


def looking_endpoints(console: Console) -> list[Endpoint]:
    """Returns what can be asked of a crawl."""

    async def status(_: Asked) -> Overview:
        return await console.overview()

    async def crawls(_: Asked) -> Crawls:
        return Crawls([await console.crawl()])

    async def hosts(asked: Asked) -> HostsPage:
        query: HostsQuery = asked.query
        is_descending = query.order == "desc"
        return await console.hosts(
            query.search, query.sort, descending=is_descending, cursor=query.cursor, limit=query.limit
        )

    async def host(asked: Asked) -> HostView:
        found = await console.host(asked.path["host"])
        if found is None:
            right = "a host that the crawl knows: GET /v1/hosts?search=… finds them"
            raise Problem(404, "This crawl does not know it.", field="host", value=asked.path["host"], right=right)
        return found

    async def why(asked: Asked) -> Story:
        return _url(await console.why(asked.query.url), asked.query.url)

    async def history(asked: Asked) -> History:
        return _url(await console.history(asked.query.url), asked.query.url)

    async def urls(asked: Asked) -> UrlsPage:
        query: PrefixQuery = asked.query
        return await console.urls(query.prefix, query.cursor, query.limit)

    async def review(_: Asked) -> Review:
        return Review(await console.review())

    async def series(asked: Asked) -> Series:
        return await console.series(asked.query.span)

    async def settings(_: Asked) -> SettingsNow:
        return SettingsNow(await console.settings())

    async def changes(asked: Asked) -> Changes:
        return Changes(await console.changes(asked.query.limit))

    async def complaints(asked: Asked) -> Complaints:
        return Complaints(await console.complaints(asked.query.limit))

    async def events(_: Asked) -> object:
        return await streamed(console.events())

    read, busy = Role.READ, (503,)
    told = "URLs that begin alike, as far as a page looks; its cursor goes on."
    return [
        Endpoint("GET", "/v1/status", read, status, "How the crawl stands.", Overview, problems=busy),
        Endpoint("GET", "/v1/crawls", read, crawls, "Which crawls are served here.", Crawls, problems=busy),
        Endpoint("GET", "/v1/hosts", read, hosts, "Hosts, by any column.", HostsPage, HostsQuery, problems=busy),
        Endpoint("GET", "/v1/hosts/{host}", read, host, "One host, as of now.", HostView, problems=(404, 503)),
        Endpoint("GET", "/v1/urls", read, urls, told, UrlsPage, PrefixQuery, problems=busy),
        Endpoint("GET", "/v1/urls/why", read, why, "The whole story of a URL.", Story, UrlQuery, problems=busy),
        Endpoint("GET", "/v1/urls/history", read, history, "Every visit to a URL.", History, UrlQuery, problems=busy),
        Endpoint("GET", "/v1/review", read, review, "Domains that wait for a decision.", Review, problems=busy),
        Endpoint("GET", "/v1/series", read, series, "Numbers over time.", Series, SeriesQuery, problems=busy),
        Endpoint("GET", "/v1/settings", read, settings, "What can change at run time.", SettingsNow, problems=busy),
        Endpoint("GET", "/v1/changes", read, changes, "The log of changes.", Changes, LastQuery, problems=busy),
        Endpoint("GET", "/v1/complaints", read, complaints, "What people wrote.", Complaints, LastQuery, problems=busy),
        Endpoint(
            "GET",
            "/v1/events",
            read,
            events,
            "What happens, as it does.",
            str,
            media=EVENTS,
            problems=busy,
        ),
    ]


def _url(found: T | Reason, url: str) -> T:
    if isinstance(found, Reason):
        raise Problem(
            400, f"This is no URL to crawl ({found}).", field="url", value=url, right="https://example.org/page"
        )
    return found
