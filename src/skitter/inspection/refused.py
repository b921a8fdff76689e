"""Links that were found and not followed, by the links tables.

The frontier knows nothing of them: it holds what is to be fetched. A table is made when its WARC file is sealed, so
that what was found since is not in any yet.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec import Struct

from skitter.errors import MachineError
from skitter.store.index.holding import reading
from skitter.store.index.paths import tables_of
from skitter.store.warc.places import open_files

MOST = 5
"""Told of one URL: a thousand pages may have the same link."""


class RefusedLink(Struct, frozen=True):
    """A link that was not followed: the page it was on, what it was there, and why."""

    page: str
    kind: str
    reason: str


def refused_links(directory: Path, urls: Collection[str], most: int = MOST) -> list[RefusedLink]:
    """Returns the first links to any of `urls` that were not followed. MachineError if a table can't be read."""
    with reading(directory):
        files = [str(path) for path in tables_of(directory, "links")]
        return [RefusedLink(*row) for row in _rows(files, urls, most)] if files else []


def is_all_indexed(directory: Path) -> bool:
    """Whether no WARC file is still being written, or was left so: what such a one holds is in no table."""
    return not open_files(directory / "warc")


def _rows(files: Sequence[str], urls: Collection[str], most: int) -> list[tuple[str, str, str]]:
    # Here and not above: pyarrow takes longer to import than all the rest, and most who ask, ask of what is known.
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import compute, dataset

    from skitter.store.index.parquet import SCHEMAS

    wanted = compute.field("target").isin(list(urls)) & compute.field("refused").is_valid()
    try:
        # With our schema, files from before there was the column have it too, and say nothing in it.
        tables = dataset.dataset(files, schema=SCHEMAS["links"], format="parquet")
        found = tables.head(most, columns=["source", "kind", "refused"], filter=wanted)
    except (pa.ArrowException, OSError) as error:
        remedy = "Remove the index files of that day, all kinds of them: the next start makes them again."
        raise MachineError("a links table can't be read", str(error), remedy) from error
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True))
