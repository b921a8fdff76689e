"""Which page a URL is a form of. Pure."""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """A URL of a page that has several, and the one that is the page; with how many pages link to either."""

    url: str
    page: str
    inlinks: int
    page_inlinks: int
