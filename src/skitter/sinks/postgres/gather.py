"""Rows as they come, gathered into what the tables of PostgreSQL hold. Pure.

Of each host and each URL there is one line for a batch, with all that the batch says of it; the newest fetch counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from skitter.messages import Kind, Reason
from skitter.politeness.backoff import is_host_failure
from skitter.politeness.delay import base_delay
from skitter.politeness.health import health_after
from skitter.ports import Rows
from skitter.robots.rules import parse
from skitter.settings import Settings
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint

Line: TypeAlias = tuple[Any, ...]

FLAGS: Mapping[str, int] = {
    Reason.TRAP: 1,
    Reason.SOFT_404: 2,
    Kind.TOO_MANY_REDIRECTS: 4,
    Reason.NEAR_DUPLICATE: 8,
    Reason.NOINDEX: 16,
    Reason.OUT_OF_SCOPE: 32,
    Reason.TOO_DEEP: 64,
    Reason.DENIED_BY_PATTERN: 128,
    Reason.NOFOLLOW: 256,
    "embed": 512,
}
"""The bits of `url_meta.flags`."""

LONGEST_HOST = 300
"""With a port. Longer names are none, and would not fit into an index."""

_KINDS = {kind.value: kind for kind in Kind}
_SMALLINT, _BIGINT = 2**15 - 1, 2**63


class _Host:
    """What a batch says of a host. Its health after it is `kept` × before + `gained`."""

    __slots__ = ("at", "delay", "domain", "failures", "gained", "kept", "recovered", "robots_at", "robots_body")

    def __init__(self, domain: str) -> None:
        self.domain = domain
        self.at: datetime | None = None
        self.failures, self.recovered = 0, False
        self.kept, self.gained = 1.0, 0.0
        self.robots_body: str | None = None
        self.robots_at: datetime | None = None
        self.delay: float | None = None

    def fetched(self, at: datetime, failure: str | None) -> None:
        """Counts one fetch."""
        self.at = at if self.at is None else max(self.at, at)
        kind = _KINDS.get(failure) if failure else None
        if failure and (kind is None or not is_host_failure(kind)):
            return
        self.kept, self.gained = (
            self.kept * (health_after(1.0, kind) - health_after(0.0, kind)),
            health_after(self.gained, kind),
        )
        self.failures, self.recovered = (self.failures + 1, self.recovered) if kind is not None else (0, True)


class _Url:
    """What a batch says of a URL."""

    __slots__ = ("depth", "digest", "fetched", "first", "flags", "host", "parent", "status", "url")

    def __init__(self, url: str, host: str, first: datetime) -> None:
        self.url, self.host, self.first = url, host, first
        self.fetched: datetime | None = None
        self.status: int | None = None
        self.digest: bytes | None = None
        self.depth: int | None = None
        self.parent: bytes | None = None
        self.flags = 0


class Gathered:
    """One batch. `write` takes rows, `stages` has the lines for each stage table."""

    def __init__(self, settings: Settings, domain_of: Callable[[str], str]) -> None:
        self._settings = settings
        self._canon = Canon(settings.url)
        self._domain_of = domain_of
        self._known: dict[str, tuple[bytes, str, str] | None] = {}  # by URL as written: hash, URL, host
        self._hosts: dict[str, _Host] = {}
        self._urls: dict[bytes, _Url] = {}
        self._captures: list[Line] = []
        self._failures: list[Line] = []
        self._links: dict[tuple[bytes, bytes], Line] = {}
        self._texts: list[Line] = []

    def write(self, rows: Rows) -> None:
        """Takes rows; of a table that is not kept here it takes none."""
        if rows.table == "text":
            self._texts += [self._text(row) for row in rows.objects()]
            return
        takes: dict[str, Callable[..., None]] = {
            "captures": self._capture,
            "failures": self._failure,
            "links": self._link,
            "robots": self._robots,
        }
        if (take := takes.get(rows.table)) is not None:
            for row in rows.rows:
                take(*row)

    def stages(self) -> Mapping[str, Iterable[Line]]:
        """Returns the lines of each stage table."""
        return {
            "stage_hosts": [_host_line(name, host) for name, host in self._hosts.items()],
            "stage_urls": [_url_line(digest, url) for digest, url in self._urls.items()],
            "stage_captures": self._captures,
            "stage_failures": self._failures,
            "stage_links": self._links.values(),
            "stage_texts": self._texts,
        }

    def _capture(
        self, href: str, at: datetime, host: str, errand: str | None, depth: int | None, parent: str | None,
        status: int, mime: str | None, encoding: str | None, lang: str | None, title: str | None, _bytes: int,
        length: int | None, digest: str | None, _payload_digest: str | None, revisit: bool, truncated: str | None,
        _insecure: bool, failure: str | None, verdict: str | None, reasons: Sequence[str], duplicate_of: str | None,
        simhash: int | None, outlinks: int, rendered: str | None, seconds: float | None, address: str | None,
        file: str, offset: int, size: int,
    ) -> None:  # fmt: skip
        key = self._fetched(href, host, at, status, depth, parent, failure)
        content = _digest(digest)
        url = self._urls[key]
        if url.fetched == at:
            url.digest = content
            url.flags = sum(FLAGS.get(reason, 0) for reason in reasons)
            url.flags |= FLAGS[Kind.TOO_MANY_REDIRECTS] if failure == Kind.TOO_MANY_REDIRECTS else 0
        self._captures.append(
            (key, at, clean(href), self._host(host).domain, clean(host), errand, status, _clean(mime), length, content,
             _signed(simhash), depth, _clean(title), _clean(lang), _clean(encoding), revisit, truncated, failure,
             verdict, [clean(reason) for reason in reasons], _clean(duplicate_of), outlinks, seconds, address, file,
             offset, size, rendered)
        )  # fmt: skip

    def _failure(
        self, href: str, at: datetime, host: str, errand: str | None, depth: int | None, tries: int,
        failure: str | None, detail: str | None, seconds: float | None, _address: str | None,
        file: str, offset: int, _size: int,
    ) -> None:  # fmt: skip
        key = self._fetched(href, host, at, 0, depth, None, failure)
        self._failures.append(
            (key, at, clean(href), self._host(host).domain, clean(host), errand, depth, tries, failure, _clean(detail),
             seconds, file, offset)
        )  # fmt: skip

    def _link(
        self, source: str, at: datetime, _place: int, target: str, tag: str, kind: str, nofollow: bool,
        anchor: str | None, refused: str | None, depth: int | None,
    ) -> None:  # fmt: skip
        page, found = self._known_as(source), self._known_as(target)
        if page is None or found is None:
            return
        key, href, host = found
        self._host(host)
        url = self._urls.get(key)
        if url is None:
            url = self._urls[key] = _Url(href, host, at)
            url.depth, url.parent = depth, page[0]
            url.flags = FLAGS.get(refused or "", 0) | (FLAGS["embed"] if kind == "embed" else 0)
        if (page[0], key) not in self._links:
            self._links[page[0], key] = (*(page[0], key, _clean(anchor), at, tag, kind, nofollow, refused),)

    def _text(self, row: Mapping[str, Any]) -> Line:
        href, host = row["url"], row["host"]
        known = self._known_as(href)
        key = fingerprint(href) if known is None else known[0]
        return (
            *(key, row["fetched_at"], clean(href), clean(self._domain_of(host)), clean(host), _digest(row["digest"])),
            *(_clean(row[name]) for name in ("media", "title", "description", "lang")),
            *(row["lang_score"], _clean(row["text"]), row["words"], row["published_at"], row["modified_at"]),
            *(_clean(row["facts"]), _clean(row["fields"]), [clean(use) for use in row["reserved"] or ()]),
            *(row["warc_file"], row["warc_offset"]),
        )

    def _robots(self, _origin: str, at: datetime, host: str, _status: int, body: str | None) -> None:
        known = self._host(host)
        if known.robots_at is not None and known.robots_at > at:
            return
        known.robots_at = at
        if body is None:
            return
        known.robots_body = clean(body)
        rules = parse(body.encode("utf-8", "replace"), self._settings.identity.robots_token)
        limit = self._settings.robots.max_crawl_delay
        known.delay = base_delay(self._settings.politeness, max_crawl_delay=limit, crawl_delay=rules.crawl_delay)

    def _fetched(
        self, href: str, host: str, at: datetime, status: int, depth: int | None, parent: str | None,
        failure: str | None,
    ) -> bytes:  # fmt: skip
        """Counts a fetch of a URL, and returns its hash."""
        self._host(host).fetched(at, failure)
        known = self._known_as(href)
        key = fingerprint(href) if known is None else known[0]
        url = self._urls.get(key)
        if url is None:
            url = self._urls[key] = _Url(clean(href), _name(host), at)
        url.first = min(url.first, at)
        if url.fetched is None or url.fetched <= at:
            above = self._known_as(parent) if parent else None
            url.url, url.fetched, url.status, url.depth = clean(href), at, status, depth
            url.parent = above[0] if above is not None else url.parent
        return key

    def _host(self, name: str) -> _Host:
        known = self._hosts.get(_name(name))
        if known is None:
            known = self._hosts[_name(name)] = _Host(clean(self._domain_of(name)))
        return known

    def _known_as(self, href: str) -> tuple[bytes, str, str] | None:
        if href not in self._known:
            url = self._canon(href)
            if isinstance(url, Reason) or len(url.host) > LONGEST_HOST:
                self._known[href] = None
            else:
                self._known[href] = (fingerprint(url.key), clean(url.href), clean(url.host))
        return self._known[href]


def clean(text: str) -> str:
    """Returns `text` as PostgreSQL can hold it: no NUL, no half of a pair."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _name(host: str) -> str:
    return clean(host)[:LONGEST_HOST]


def _clean(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _digest(said: str | None) -> bytes | None:
    """Returns the bytes of `sha256:…`, None if that is not what it says."""
    try:
        return bytes.fromhex(said.partition(":")[2]) if said else None
    except ValueError:
        return None


def _signed(number: int | None) -> int | None:
    return None if number is None else number - 2 * _BIGINT if number >= _BIGINT else number


def _host_line(name: str, host: _Host) -> Line:
    return (
        *(name, host.domain, host.at, host.failures, host.recovered, host.kept, host.gained),
        *(host.robots_body, host.robots_at, host.delay),
    )


def _url_line(digest: bytes, url: _Url) -> Line:
    depth = None if url.depth is None else min(url.depth, _SMALLINT)
    return (*(digest, url.url, url.host, url.first, url.fetched, url.status, url.digest, depth, url.parent, url.flags),)
