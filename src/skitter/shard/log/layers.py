"""Changes that are not in the store below yet, in layers: whoever reads sees the topmost. Pure.

A layer is a map of keys to their new values, None where they are removed. Layers go down one by one, the lowest first,
when the log has them; the topmost may still grow.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from skitter.shard.keys import end_of


class Layer(dict[bytes, "bytes | None"]):
    """One layer. Its keys are put in order when somebody asks for them in order, and again if it grew since."""

    __slots__ = ("_order",)

    def __init__(self) -> None:
        super().__init__()
        self._order: list[bytes] = []

    def between(self, start: bytes, end: bytes) -> list[bytes]:
        """Returns the keys from `start` to before `end`, in order; to the last one if `end` is empty."""
        if len(self._order) != len(self):
            self._order = sorted(self)  # no key ever leaves a layer: as many keys are the same keys
        order = self._order
        return order[bisect_left(order, start) : bisect_left(order, end) if end else len(order)]


class Layers:
    """The layers above one store, the newest last."""

    __slots__ = ("all",)

    def __init__(self) -> None:
        self.all: list[Layer] = []

    def over(self, prefix: bytes, after: bytes) -> dict[bytes, bytes | None]:
        """Returns what the layers say of keys that start with `prefix` and come after `after`, in order."""
        start, end = (max(prefix, after + b"\0") if after else prefix), end_of(prefix)
        found: dict[bytes, bytes | None] = {}
        for layer in self.all:
            found.update((key, layer[key]) for key in layer.between(start, end))
        return found if len(self.all) == 1 else dict(sorted(found.items()))


def merged(below: Iterator[tuple[bytes, bytes]], over: dict[bytes, bytes | None]) -> Iterator[tuple[bytes, bytes]]:
    """Yields the entries of a store in their order, with what lies over them."""
    above = iter(over.items())
    upper = next(above, None)
    for key, value in below:
        while upper is not None and upper[0] < key:
            if upper[1] is not None:
                yield upper[0], upper[1]
            upper = next(above, None)
        if upper is None or upper[0] != key:
            yield key, value
    while upper is not None:
        if upper[1] is not None:
            yield upper[0], upper[1]
        upper = next(above, None)
