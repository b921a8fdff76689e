"""What a robots.txt says of the use of what it lets us fetch: `Content-Signal` and `Content-Usage`. Pure.

    User-agent: *
    Content-Signal: search=yes, ai-train=no
    Content-Usage: /drafts/ train-ai=n, search=n

Both hold for the user-agent lines before them, a path in front narrows them, and of several the longest path counts.
What stands before any user-agent line is for everyone: whoever wrote it there wanted it kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from skitter.robots.groups import ANYONE, product_token
from skitter.robots.lines import Field, read_line, written_lines

MAX_LINES = 100
MAX_SAID = 500
_NAMES = {"contentsignal": "signal", "contentsignals": "signal", "contentusage": "usage"}
_KEY = re.compile(r"\s*([A-Za-z_ -]{1,40}?)\s*:\s*([^#]*)")


class Said(NamedTuple):
    """One line: what it is about, the path it is for, and its words."""

    about: str
    path: str
    words: str


class Signals(Struct, frozen=True):
    """What one robots.txt says to one product token."""

    said: Sequence[Said] = ()

    def signal_for(self, path: str) -> str:
        """Returns the Content-Signal for a path, empty if there is none."""
        return self._for("signal", path)

    def usage_for(self, path: str) -> str:
        """Returns the Content-Usage for a path, empty if there is none."""
        return self._for("usage", path)

    def _for(self, about: str, path: str) -> str:
        if not self.said:
            return ""
        meant = [one for one in self.said if one.about == about and path.startswith(one.path)]
        longest = max((len(one.path) for one in meant), default=0)
        return ", ".join(dict.fromkeys(one.words for one in meant if len(one.path) == longest))[:MAX_SAID]


def signals_in(body: bytes, token: str, max_bytes: int) -> Signals:
    """Returns what a robots.txt says to `token`: what is for that name, else what is for everyone."""
    token, names, is_open = product_token(token), [ANYONE], False
    found: dict[str, list[Said]] = {ANYONE: []}
    for number, raw in enumerate(written_lines(body, max_bytes), start=1):
        line = read_line(number, raw)
        if line is not None and line.field is Field.AGENT:
            names = [*names, product_token(line.value)] if is_open else [product_token(line.value)]
            is_open = True
            if token in names:
                found.setdefault(token, [])  # named, it is not everyone any more, whether or not anything is said to it
            continue
        if line is not None and line.field is not Field.SITEMAP:
            is_open = False
        elif (said := _said(raw)) is not None:
            is_open = False
            for name in {*names} & found.keys():
                found[name] = [*found[name], said][:MAX_LINES]
    return Signals(found.get(token, found[ANYONE]))


def _said(raw: str) -> Said | None:
    match = _KEY.match(raw[: 4 * MAX_SAID])
    about = _NAMES.get(re.sub(r"[\s_-]", "", match[1].lower())) if match else None
    if match is None or about is None:
        return None
    value = match[2].encode("utf-8", "replace").decode().strip()
    path, _, words = value.partition(" ") if value.startswith("/") else ("", "", value)
    return Said(about, path, " ".join(words.split())[:MAX_SAID]) if words.strip() else None
