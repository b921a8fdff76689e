"""JSON-LD: what a page says of itself to machines. Pure.

Pages hold it as it falls out of their templates: with line breaks in strings, in CDATA, nested without end. It is read
as far as it can be, and cut down to what fits into a row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from skitter.content.documents.document import clean

MAX_SCRIPT = 512 * 1024
MAX_NODES = 20
MAX_DEPTH, MAX_KEYS, MAX_ITEMS, MAX_STRING = 4, 40, 10, 500

Node: TypeAlias = Mapping[str, object]

BEFORE, AFTER = ("//", "<!--", "<![CDATA["), ("//", "-->", "]]>", ";")


def nodes_in(scripts: Iterable[str]) -> list[Node]:
    """Returns the objects with a type that JSON-LD scripts hold, the first ones, cut to what is worth keeping."""
    found: list[Node] = []
    for script in scripts:
        for node in _nodes(_decoded(script)):
            if len(found) == MAX_NODES:
                return found
            cut = _brief(node, MAX_DEPTH)
            assert isinstance(cut, dict)
            found.append(cut)
    return found


def first_of(nodes: Iterable[Node], name: str) -> str:
    """Returns the first text that a node has under this name."""
    values = (node.get(name) for node in nodes)
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def _decoded(script: str) -> object:
    if len(script) > MAX_SCRIPT:
        return None
    try:
        return json.loads(_bare(script), strict=False)
    except (ValueError, RecursionError):
        return None


def _bare(script: str) -> str:
    """Returns a script without the marks that some put around it for browsers of long ago."""
    script = script.strip()
    for mark in BEFORE:
        script = script.removeprefix(mark).lstrip()
    for mark in (*AFTER, *AFTER):
        script = script.removesuffix(mark).rstrip()
    return script


def _nodes(value: object, depth: int = 0) -> Iterator[dict[str, object]]:
    """Yields the objects that have a type, from lists and graphs."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for one in value[: MAX_NODES * 2]:
            yield from _nodes(one, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        yield from _nodes(value.get("@graph"), depth + 1)


def _brief(value: object, depth: int) -> object:
    """Returns a value without what is too deep, too many or too long."""
    match value:
        case dict() if depth:
            kept = [(key, _brief(one, depth - 1)) for key, one in list(value.items())[:MAX_KEYS] if key != "@graph"]
            return {clean(str(key), 100): one for key, one in kept if one not in (None, {}, [])}
        case list() if depth:
            items = [_brief(one, depth - 1) for one in value[:MAX_ITEMS]]
            return [one for one in items if one not in (None, {}, [])]
        case str():
            return clean(value, MAX_STRING)
        case bool():
            return value
        case int() if abs(value) < 2**53:
            return value
        case float() if abs(value) < 1e300:
            return value
    return None
