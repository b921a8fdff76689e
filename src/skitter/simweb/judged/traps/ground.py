"""What a trap stands on: its folder, its site's way of writing, and its dice."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple, TypeAlias
from urllib.parse import parse_qsl

from skitter.simweb.draw import draws
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import Fact, Sheet, What, listed

WASTE = Fact(What.WASTE)


class Ground(NamedTuple):
    """Where a trap is."""

    prose: Prose
    at: str  # with a slash at both ends
    key: tuple[object, ...]

    def dice(self, count: int, *key: object) -> tuple[int, ...]:
        """Returns numbers for a page of the trap."""
        return draws(count, *self.key, *key)

    def mark(self, *key: object) -> str:
        """Returns an id as programs make them."""
        return sha256(repr((*self.key, *key)).encode()).hexdigest()[: 12 + self.dice(1, "mark")[0] % 20]

    def one(self, *names: str) -> str:
        """Returns the name that this trap has for something, of those that are usual."""
        return names[self.dice(1, "one", *names)[0] % len(names)]

    def page(self, title: str, html: str, links: list[tuple[str, str]]) -> Sheet:
        """Returns a page of the trap."""
        return Sheet(title, html + listed(links), WASTE)


Trap: TypeAlias = Callable[[Ground, str], Sheet | None]
"""From what follows the folder in the URL to what is there."""


def split(rest: str) -> tuple[list[str], dict[str, str]]:
    """Returns the pieces of a path and its query."""
    path, _, query = rest.partition("?")
    return [piece for piece in path.split("/") if piece], dict(parse_qsl(query, keep_blank_values=True))
