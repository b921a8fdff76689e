"""What a refresh asks for, in a meta or a header: the HTML standard's "shared declarative refresh steps"."""

from __future__ import annotations

import re

MAX_WAIT = 1e9

_REFRESH = re.compile(
    r"[\t\n\f\r ]*(?=[0-9.])([0-9]*)[0-9.]*(?:(?=[\t\n\f\r ;,])[\t\n\f\r ]*[;,]?[\t\n\f\r ]*(.*))?", re.DOTALL
)
_URL = re.compile(r"url[\t\n\f\r ]*=[\t\n\f\r ]*", re.IGNORECASE)


def read(content: str) -> tuple[float, str] | None:
    """Returns the seconds to wait and the URL as written. None if it is no refresh, or one of the page itself."""
    found = _REFRESH.fullmatch(content)
    if found is None or not found[2]:
        return None
    url = found[2]
    if named := _URL.match(url):
        url = url[named.end() :]
    if url[:1] in ("'", '"'):
        url = url[1:].partition(url[0])[0]
    return min(float(found[1] or 0), MAX_WAIT), url
