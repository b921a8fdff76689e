"""JSON Feed (jsonfeed.org, versions 1 and 1.1): what it lists, with the dates, and the hub that it names."""

from __future__ import annotations

import json
from typing import Any

from skitter.parse.listing import Listing

VERSION = "jsonfeed.org/version/"


def read_json(text: str, listing: Listing) -> str:
    """Adds what a JSON feed lists; returns `feed`, or `none` if it is anything else. Takes any text."""
    try:
        feed = json.loads(text)
    except (ValueError, RecursionError):
        return "none"
    if not isinstance(feed, dict) or VERSION not in _text(feed, "version"):
        return "none"
    for item in _objects(feed, "items"):
        if listing.is_over:
            break
        date = _text(item, "date_modified") or _text(item, "date_published")
        listing.add(_text(item, "url") or _text(item, "external_url") or _text(item, "id"), date)
    for hub in _objects(feed, "hubs"):
        if _text(hub, "type").lower() == "websub":
            listing.note_hub(_text(hub, "url"))
    return "feed"


def _text(item: dict[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _objects(item: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = item.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
