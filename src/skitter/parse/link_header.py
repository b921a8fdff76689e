"""Link headers, as RFC 8288 writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_LINK = re.compile(r'<([^<>]*+)>((?:[^,"]|"(?:[^"\\]|\\.)*+"?)*+)', re.DOTALL)
_PARAMETER = re.compile(r';\s*([^\s=;,"]++)\s*(?:=\s*("(?:[^"\\]|\\.)*+"|[^\s;,"]*+))?', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def targets(values: Iterable[str], rel: str) -> Iterator[str]:
    """Yields what the page itself links to with this rel (lower case), as written."""
    for value in values:
        for target, written in _LINK.findall(value):
            parameters = _parameters(written)
            # With an anchor it is a link of something else.
            if rel in parameters.get("rel", "").lower().split() and "anchor" not in parameters:
                yield target


def _parameters(written: str) -> dict[str, str]:
    """Returns parameters by name (lower case); the first of each counts, as the RFC says of rel."""
    found: dict[str, str] = {}
    for name, value in _PARAMETER.findall(written):
        unquoted = _ESCAPED.sub(r"\1", value[1:-1]) if value.startswith('"') else value
        found.setdefault(name.lower(), unquoted)
    return found
