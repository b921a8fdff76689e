"""Text to a URL, exactly as the WHATWG URL standard says (ada does the work)."""

from __future__ import annotations

import re

import ada_url

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def parse(text: str, base: str | None = None) -> str | None:
    """Returns `text` resolved against `base` in the standard's serialisation, or None if it is no URL."""
    try:
        return ada_url.join_url(base, text) if base is not None else ada_url.normalize_url(text)
    except ValueError:
        if _LONE_SURROGATE.search(text) is None:
            return None
    # A browser hands its parser scalar values: half a surrogate pair becomes U+FFFD. ada can't be given one at all.
    return parse(_LONE_SURROGATE.sub("\ufffd", text), base)
