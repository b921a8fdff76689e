"""Skitter: a web crawler that is polite, durable and fast.

    for page in skitter.crawl("https://example.org/", contact="you@example.org", max_pages=100):
        print(page.status, page.url, page.title)

`docs/library.md` shows the rest. What is named here is what can be relied on; it is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from skitter.errors import MachineError, OperatorError, SinkError, SkitterError
    from skitter.library.crawl import Crawl, CrawlSync, crawl, read
    from skitter.library.engine import Statistics
    from skitter.library.options import Options
    from skitter.library.page import Page
    from skitter.messages import Kind, Link, LinkKind, Reason, State
    from skitter.ports import Advice, PageFilter, Parsed, Parser, Remark, Rows, Sink, UrlFilter
    from skitter.reading.seen import Document, SeenPage, SeenUrl
    from skitter.settings import Settings

__all__ = [
    "Advice",
    "Crawl",
    "CrawlSync",
    "Document",
    "Kind",
    "Link",
    "LinkKind",
    "MachineError",
    "OperatorError",
    "Options",
    "Page",
    "PageFilter",
    "Parsed",
    "Parser",
    "Reason",
    "Remark",
    "Rows",
    "SeenPage",
    "SeenUrl",
    "Settings",
    "Sink",
    "SinkError",
    "SkitterError",
    "State",
    "Statistics",
    "UrlFilter",
    "__version__",
    "crawl",
    "read",
]

_HOMES = {
    "skitter.errors": ("MachineError", "OperatorError", "SinkError", "SkitterError"),
    "skitter.library.crawl": ("Crawl", "CrawlSync", "crawl", "read"),
    "skitter.library.engine": ("Statistics",),
    "skitter.library.options": ("Options",),
    "skitter.library.page": ("Page",),
    "skitter.messages": ("Kind", "Link", "LinkKind", "Reason", "State"),
    "skitter.ports": ("Advice", "PageFilter", "Parsed", "Parser", "Remark", "Rows", "Sink", "UrlFilter"),
    "skitter.reading.seen": ("Document", "SeenPage", "SeenUrl"),
    "skitter.settings": ("Settings",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    # `import skitter` must cost nothing: the parsers and stores behind these names take a third of a second to load.
    if name not in _HOME:
        raise AttributeError(f"module 'skitter' has no attribute {name!r}")
    found: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
