"""Single hosts and URLs, out of the stores: a bounded look each."""

from __future__ import annotations

import time
from collections.abc import Iterator

from skitter.console.views import HostView, RobotsText, UrlRow, UrlsPage
from skitter.errors import OperatorError
from skitter.frontier.policies import policy_of
from skitter.inspection.domains import domain_named
from skitter.inspection.folder import Folder, ShardLook
from skitter.inspection.judged import judged_host
from skitter.inspection.meant import host_meant
from skitter.messages import Url
from skitter.schedule.shares import Purpose
from skitter.shard import keys
from skitter.shard.records import TRIMMED, URLS
from skitter.url.canon import Canon
from skitter.url.keys import origins_of

NEXT = 10
"""Queued URLs of a host that are shown."""

LOOKED_AT = 200_000
SECONDS = 0.25
"""What a page of URLs looks at, whichever ends first: its cursor goes on from there."""

LONGEST_ROBOTS = 64 * 1024


def host_view(folder: Folder, name: str, now: float) -> HostView | None:
    """Returns a host; None: the crawl does not know it."""
    try:
        host = host_meant(folder, name)
    except OperatorError:
        return None
    judged, shard = judged_host(folder, host, now), folder.shard(folder.shard_of(host))
    if judged is None or shard is None:
        return None
    domain = domain_named(folder, shard.domain_of(host), now)
    return HostView(judged, domain, list(_robots(folder, shard, host)), list(_next(shard, host)), now)


def urls_page(folder: Folder, prefix: str, cursor: str, limit: int, now: float) -> UrlsPage:
    """Returns URLs that begin with `prefix`. OperatorError if it does not name a host, or the cursor is none."""
    url = Canon(folder.settings.url)(prefix if "://" in prefix else f"https://{prefix}")
    if not isinstance(url, Url):
        raise OperatorError("prefix", prefix, "must begin with a host; right would be https://example.org/about")
    begins = prefix if "://" in prefix else ""
    after = _place(cursor)
    shard = folder.shard(folder.shard_of(url.host))
    if shard is None:
        return UrlsPage([], None, now)
    until = time.monotonic() + SECONDS
    rows: list[UrlRow] = []
    name, looked, last = url.host.encode(), 0, b""
    for key, raw in shard.iterate(b"u", after):
        looked, last = looked + 1, key
        if name in raw and (row := _row(raw, url.host, begins or prefix)) is not None:
            rows.append(row)
        is_time = not looked % 1000 and time.monotonic() > until
        if len(rows) == limit or looked == LOOKED_AT or is_time:
            return UrlsPage(rows, last.hex(), now)
    return UrlsPage(rows, None, now)


def _row(raw: bytes, host: str, prefix: str) -> UrlRow | None:
    record = URLS.decode(raw)
    if record is TRIMMED or record.host != host:
        return None
    if not record.href.startswith(prefix) and not record.href.partition("://")[2].startswith(prefix):
        return None
    return UrlRow(
        record.href,
        record.state,
        record.reason,
        record.priority,
        record.due,
        record.last_fetched,
        record.last_status,
    )


def _place(cursor: str) -> bytes:
    try:
        place = bytes.fromhex(cursor)
    except ValueError:
        place = b"?"
    if place and not place.startswith(b"u"):
        raise OperatorError("cursor", cursor, "is none that a page had: begin without one")
    return place


def _robots(folder: Folder, shard: ShardLook, host: str) -> Iterator[RobotsText]:
    for origin in origins_of(host):
        record = shard.robots(origin)
        if record is not None:
            policy = policy_of(record, folder.settings.identity.robots_token, folder.settings.robots)
            yield RobotsText(
                origin,
                record.access.value,
                record.status,
                record.fetched_at,
                record.read_at,
                record.good_until,
                policy.crawl_delay,
                record.body[:LONGEST_ROBOTS].decode("utf-8", "replace"),
            )


def _next(shard: ShardLook, host: str) -> Iterator[str]:
    for purpose in Purpose:
        for _, fingerprint in shard.scan(keys.queue_prefix(host, purpose), limit=NEXT):
            record = shard.url(fingerprint)
            if record is not None:
                yield record.href
