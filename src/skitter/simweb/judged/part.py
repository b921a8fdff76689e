"""Parts of a site: pages that can all be listed, or a corner that has no end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, TypeAlias

from skitter.simweb.judged.sheet import Fact, Sheet, What

Maker: TypeAlias = Callable[[], Sheet]
NOTHING: Mapping[str, Maker] = MappingProxyType({})


class Part(Protocol):
    """Some pages of a site, below a folder or several."""

    @property
    def kind(self) -> str:
        """What sort of part it is."""
        ...

    @property
    def entrances(self) -> Sequence[tuple[str, str]]:
        """Where the site's menu leads: targets, and what they are called."""
        ...

    def look(self, target: str) -> Sheet | None:
        """Returns what is at a target (path and query); None if it is not in this part."""
        ...

    def good(self) -> Iterable[str]:
        """Gives the targets that must be fetched."""
        ...


class Listed:
    """A part whose pages are known one by one, each by what makes it."""

    def __init__(
        self,
        kind: str,
        entrances: Sequence[tuple[str, str]],
        pages: Mapping[str, Maker],
        others: Mapping[str, Maker] = NOTHING,
    ) -> None:
        self.kind = kind
        self.entrances = entrances
        self._pages = pages
        self._others = others  # other forms of these pages, redirects, errors

    def __repr__(self) -> str:
        return f"<Listed {self.kind}: {len(self._pages)} pages>"

    def look(self, target: str) -> Sheet | None:
        """See `Part`."""
        maker = self._pages.get(target) or self._others.get(target)
        return maker() if maker is not None else None

    def good(self) -> Iterable[str]:
        """See `Part`."""
        return self._pages


class Corner:
    """A part without end. `maker` is asked for what comes after the folder `at`, and answers everything."""

    def __init__(self, kind: str, at: str, maker: Callable[[str], Sheet | None], good: Sequence[str] = ()) -> None:
        self.kind = kind
        self.at = at
        self.entrances = [(at, kind.partition(" ")[0].replace("_", " ").capitalize())]
        self._maker = maker
        self._good = good

    def __repr__(self) -> str:
        return f"<Corner {self.kind} at {self.at}>"

    def look(self, target: str) -> Sheet | None:
        """See `Part`."""
        if not target.startswith(self.at):
            return None
        sheet = self._maker(target[len(self.at) :])
        if sheet is None or sheet.fact.what is not What.WASTE:
            return sheet
        return sheet._replace(fact=Fact(What.WASTE, self.kind))

    def good(self) -> Iterable[str]:
        """See `Part`."""
        return self._good
