"""HTML that is safe because of how it is made: whatever is not `Html` already is escaped. Pure.

Titles, URLs, robots.txt and reasons come from the web. Only this file makes `Html` of a string; a test holds that.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

VOID = frozenset({"input", "link", "meta"})
"""Elements that have no end."""


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Child: TypeAlias = "str | int | Iterable[Child] | None"
Value: TypeAlias = "str | int | float | bool | None"


def tag(name: str, /, *children: Child, **attributes: Value) -> Html:
    """Returns an element. `class_` and `for_` lose their underscore, `data_live` is `data-live`; None is left out."""
    opening = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Html(opening if name in VOID else f"{opening}{joined(*children)}</{name}>")


def joined(*children: Child) -> Html:
    """Returns children, one after the other."""
    return Html("".join(_written(child) for child in children))


def document(*children: Child) -> str:
    """Returns a whole page."""
    return f"<!doctype html>\n{tag('html', *children, lang='en')}\n"


def _written(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, (str, int)):
        return escape(str(child))
    return joined(*child)


def _attribute(key: str, value: Value) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
