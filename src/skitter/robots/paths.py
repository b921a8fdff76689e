"""The one form in which paths of URLs and patterns of robots.txt are compared.

RFC 9309 2.2.2 compares octets: what is not ASCII is compared as the escapes of its UTF-8 octets, an escape of an
unreserved character as that character, and a reserved character as its escape. We keep the reserved ones plain, which
compares the same, with these borders:

- `/` and `?` divide a path, so there `%2F` and `%3F` are something else. In a query they divide nothing: the RFC's own
  table has `?baz=https://foo.bar` match `?baz=https%3A%2F%2Ffoo.bar`.
- `&`, `=`, `+`, `;` and `#` divide wherever they stand, so their escapes are always something else.
- `*` and `$` are special in a pattern, so that as plain characters they are `%2A` and `%24` in both (2.2.3).
"""

from __future__ import annotations

import re
from itertools import product
from string import ascii_letters, digits, hexdigits

UNRESERVED = ascii_letters + digits + "-._~"
SAME_AS_ESCAPED = ":@[]!'(),"
DIVIDING = "/?&=+;#"

_PLAIN = UNRESERVED + SAME_AS_ESCAPED
_URL = re.compile(r"(?:[^:/?#]*://[^/?#]*)?([^#]*)")
_ODD = re.compile(f"[^{re.escape(_PLAIN + DIVIDING)}]")
_UNLEVEL = re.compile(f"%[0-9A-Fa-f]{{2}}|[^{re.escape(_PLAIN + DIVIDING)}%]")


def _level_escape(octet: int) -> str:
    return chr(octet) if chr(octet) in _PLAIN else f"%{octet:02X}"


_LEVEL = {chr(octet): f"%{octet:02X}" for octet in range(256)}
_LEVEL |= {f"%{high}{low}": _level_escape(int(high + low, 16)) for high, low in product(hexdigits, repeat=2)}


def path_of(url: str) -> str:
    """Returns path and query of a URL, without its fragment. What starts with `/` is a path already."""
    found = _URL.match(url)
    path = found[1] if found else ""
    return path if path.startswith("/") else f"/{path}"


def level(text: str) -> str:
    """Returns a path in the form for comparison; every `*` and `$` in it is a plain character."""
    if _ODD.search(text) is None:
        return text
    if not text.isascii():
        text = _octets(text).decode("latin-1")
    return _UNLEVEL.sub(lambda found: _LEVEL[found[0]], text)


def level_pattern(pattern: str) -> str:
    """Returns a pattern in the form for comparison: a `*` left in it stands for anything, a last `$` for the end."""
    anchored = pattern.endswith("$")
    body = pattern[:-1] if anchored else pattern
    return "*".join(map(level, body.split("*"))) + "$" * anchored


def show_slashes(levelled: str) -> str:
    """Returns a levelled path or pattern with each escaped `/` and `?` of its query plain."""
    path, mark, query = levelled.partition("?")
    return path + mark + query.replace("%2F", "/").replace("%3F", "?")


def _octets(text: str) -> bytes:
    """Returns the octets of a text. Bytes of a robots.txt that were not UTF-8 come back as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair: no URL holds one, but a caller's text may
        return text.encode("utf-8", "surrogatepass")
