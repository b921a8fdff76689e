"""Where the index files of a crawl stand: a shelf for each kind and day."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from skitter.store.compact.plan import groups, is_over
from skitter.store.index.names import day_in, is_merged, merged_prefix
from skitter.store.index.paths import CDXJ, CONTENTS, TABLES, TEMPORARY, cdxj_folder, table_folder


class Shelf(Struct, frozen=True):
    """The files of one kind (`captures`, …, `cdxj`) and day. Files are called by their names without the ending."""

    kind: str
    day: str  # 20261115
    folder: Path

    @property
    def ending(self) -> str:
        """How the names of its files end."""
        return f".{CDXJ}" if self.kind == CDXJ else ".parquet"

    def path(self, name: str) -> Path:
        """Returns where the file of that name is."""
        return self.folder / f"{name}{self.ending}"

    def sizes(self) -> dict[str, int]:
        """Returns the files that are there."""
        found = (path for path in self.folder.glob(f"*-{self.day}*{self.ending}"))
        named = {path.name.removesuffix(self.ending): path for path in found}
        return {name: path.stat().st_size for name, path in named.items() if day_in(name) == self.day}

    def half_made(self) -> list[Path]:
        """Returns merged files that a kill left unfinished."""
        return list(self.folder.glob(f"{merged_prefix(self.day)}*{self.ending}{TEMPORARY}"))

    def has_small(self, now: float) -> bool:
        """Whether there is something to merge."""
        return bool(groups(self.sizes(), is_over=is_over(self.day, now)))

    def may_be_torn(self) -> bool:
        """Whether a kill may have left something to mend: a merged file beside others, or one that is half made."""
        sizes = self.sizes()
        return (len(sizes) > 1 and any(map(is_merged, sizes))) or bool(self.half_made())


def shelves_of(directory: Path) -> Iterator[Shelf]:
    """Yields the shelves of a crawl: tables by kind and day, then CDXJ by day."""
    for kind in (*TABLES, *CONTENTS):
        for folder in sorted(table_folder(directory, kind).glob("[0-9]*/[0-9]*/[0-9]*")):
            yield Shelf(kind, "".join(folder.parts[-3:]), folder)
    folder = cdxj_folder(directory)
    for day in sorted({day for path in folder.glob(f"*.{CDXJ}*") if (day := day_in(path.name.partition(".")[0]))}):
        yield Shelf(CDXJ, day, folder)
