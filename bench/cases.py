"""The webs that are crawled, and by whom if nobody else is named."""

from __future__ import annotations

from typing import NamedTuple

from tree import Shape

PEERS = ("bare", "wget2", "wget2-bin", "wget", "scrapy", "scrapy-disk", "crawlee", "fetch", "parse", "zlib", "isal")


class Case(NamedTuple):
    """A web, and what is special about it."""

    says: str
    shape: Shape
    contenders: tuple[str, ...] = ("skitter-1",)
    gzip: bool = False
    known: bool = False


CASES = {
    "plain": Case("plain HTTP", Shape(5000, 200), ("skitter-1", "skitter-2", *PEERS)),
    "gzip": Case("the server compresses", Shape(5000, 200), ("skitter-1", "bare"), gzip=True),
    "tls": Case("TLS, every connection a full handshake", Shape(2000, 1000, scheme="https"), ("skitter-1", "bare")),
    "small": Case("small pages", Shape(5000, 200, size=5_000), ("skitter-1", "bare")),
    "large": Case("large pages", Shape(1000, 200, size=250_000), ("skitter-1", "bare")),
    "two-hosts": Case("all on two hosts", Shape(5000, 2), ("skitter-1", "bare")),
    "many-hosts": Case("many hosts, few pages on each", Shape(20_000, 10_000), ("skitter-1", "bare")),
    "fleet": Case(
        "embedded and in a fleet; the archive in folders, broker not counted",
        Shape(5000, 500),
        ("skitter-1", "fleet-1", "skitter-2", "fleet-2", "fleet-4"),
    ),
    "again": Case("pages that are to be seen again", Shape(5000, 200), ("skitter-1", "skitter-again")),
    "known": Case("many URLs known before", Shape(5000, 200), ("skitter-1", "skitter-2"), known=True),
}


def shape_of(case: Case, pages: int | None) -> Shape:
    """Returns the web of a case. With fewer pages it has fewer hosts too, as many pages on each; but two stay two."""
    shape = case.shape
    if not pages:
        return shape
    hosts = max(2, round(shape.hosts * pages / shape.pages)) if shape.hosts > 2 else shape.hosts
    return shape._replace(pages=pages, hosts=hosts)
