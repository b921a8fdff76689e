"""Plug-ins that do what plug-ins must not do, each by its option `how`, on pages whose URL has `part` in it."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from skitter.ports import Advice, Remark
from skitter.reading.seen import SeenPage, SeenUrl

held: list[bytes] = []


def _leak() -> None:
    while True:
        held.append(b"x" * 8_000_000)


def _recurse() -> None:
    _recurse()


DEEDS: dict[str, Any] = {
    "raise": lambda: 1 // 0,
    "exit": lambda: sys.exit(3),
    "recurse": _recurse,
    "hang": lambda: time.sleep(3600),
    "spin": lambda: all(True for _ in iter(int, 1)),
    "leak": _leak,
    "die": lambda: os._exit(9),
    "abort": os.abort,
    "none": lambda: None,
    "text": lambda: "drop it",
    "number": lambda: 5,
    "fields": lambda: Remark(fields={"a b": "blank in a name"}),
    "values": lambda: Remark(fields={"price": 12}),  # type: ignore[dict-item]
    "huge": lambda: Remark(fields={"all": "x" * 1_000_000}),
    "reason": lambda: Remark(reason="With Blanks!"),
    "ours": lambda: Remark(reason="hung"),
    "object": lambda: Remark(fields=object()),  # type: ignore[arg-type]
    "verdict": lambda: Remark(follow="yes"),  # type: ignore[arg-type]
    "good": lambda: Remark(fields={"seen": "yes"}),
}


class Naughty:
    """Does its deed on some pages, and adds a field to the others."""

    def __init__(self, how: str, part: str = "") -> None:
        self._deed = DEEDS[how]
        self._part = part

    def filter_page(self, page: SeenPage) -> Remark | None:
        """Does it."""
        return self._deed() if self._part in page.url else Remark(fields={"seen": "yes"})  # type: ignore[no-any-return]


class ByName:
    """Does the deed that the last part of a page's URL names."""

    def filter_page(self, page: SeenPage) -> Remark | None:
        """Does it."""
        return DEEDS[page.url.rpartition("/")[2]]()  # type: ignore[no-any-return]


class Raises:
    """Does its deed on some pages, and says of the others that it has seen them."""

    how = "raise"

    def __init__(self, part: str) -> None:
        self._part = part

    def filter_page(self, page: SeenPage) -> Remark | None:
        """Does it."""
        seen = Remark(fields={f"by.{type(self).__name__}": "yes"})
        return DEEDS[self.how]() if self._part in page.url else seen  # type: ignore[no-any-return]


class Hangs(Raises):
    """By doing nothing, for an hour."""

    how = "hang"


class Leaks(Raises):
    """All the memory that there is."""

    how = "leak"


class Babbles(Raises):
    """What nobody understands."""

    how = "text"


class Aborts(Raises):
    """Its whole process."""

    how = "abort"


class Quick(Naughty):
    """The same in the node itself."""

    quick = True


class NaughtyUrls:
    """Does its deed on URLs."""

    def __init__(self, how: str) -> None:
        self._deed = DEEDS[how]

    def filter_url(self, _: SeenUrl) -> Advice | None:
        """Does it."""
        return self._deed()  # type: ignore[no-any-return]


class Chooser:
    """Refuses URLs with a `b`, lowers those with a `c`."""

    def filter_url(self, url: SeenUrl) -> Advice | None:
        """Says so."""
        path = url.url.rpartition("/")[2]
        return Advice(refuse="has_b") if "b" in path else Advice(weight=0.1) if "c" in path else None


class NoPlugin:
    """Has none of the methods."""


class Asynchronous:
    """Would have to be awaited."""

    async def filter_page(self, page: SeenPage) -> None:
        """Never called."""


class NoTypes:
    """A parser of nothing."""

    def parse(self, document: object) -> None:
        """Never called."""


class OurTypes(NoTypes):
    """A parser of what Skitter reads itself."""

    media_types = ("text/html",)


class OddTypes(NoTypes):
    """A parser of a suffix."""

    media_types = (".docx",)


class Spill:
    """A sink that raises when it is to write, or returns what it may not when it is opened."""

    tables = ("captures",)

    def __init__(self, how: str = "raise") -> None:
        self._how = how

    def open(self) -> Any:
        """Says nothing good."""
        return 5 if self._how == "number" else None

    def write(self, _: object) -> None:
        """Does it."""
        DEEDS[self._how]()

    def commit(self, bookmark: bytes) -> None:
        """Has nothing to keep."""

    def close(self) -> None:
        """Raises, which is of no interest."""
        raise OSError("closed already")


class WrongTable(Spill):
    """Wants what there is not."""

    tables = ("chairs",)


class HalfASink:
    """Writes, and never commits."""

    def write(self, rows: object) -> None:
        """Never called."""


class Picky:
    """Refuses its options."""

    def __init__(self, size: int) -> None:
        if size < 0:
            raise ValueError("size must be 0 or more")

    def filter_page(self, page: SeenPage) -> None:
        """Says nothing."""


class Heavy:
    """Takes much to be made."""

    def __init__(self) -> None:
        self._model = bytearray(10**9)

    def filter_page(self, page: SeenPage) -> None:
        """Says nothing."""


not_a_class = 5
