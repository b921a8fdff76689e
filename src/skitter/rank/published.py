"""The ranks that the last nightly look has published, for whoever needs those of some shards.

DIR/parquet/ranks/ranks-YYYYmmddHHMMSS.parquet, see `docs/formats/ranks.md`. A file is never changed: a newer one takes
its place, and the one before is kept, so that whoever is reading can go on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from skitter.errors import MachineError

if TYPE_CHECKING:
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

FOLDER = "ranks"
PATTERN = "ranks-*.parquet"
REMEDY = "Remove that file: the one before it counts then, and `skitter rank` makes a new one."


class Rank(Struct, frozen=True, gc=False):
    """A row of the table: what was found of a domain or a host, and what it is worth. Shares are of its pages."""

    shard: int
    kind: str  # domain, host
    name: str
    domain: str
    worth: float
    pagerank: float | None  # of domains only
    trust: float | None
    harmonic: float
    in_degree: int  # other domains that vouch for it
    vouchers: int  # of these, the independent ones
    ring: int
    supporters: int
    pages: int
    duplicates: float | None
    soft_404: float | None
    thin: float | None
    errors: float | None  # of its URLs
    changed: float | None  # of the visits to a page that was there before
    mirror_of: str | None
    reasons: list[str]
    mirrored_at: str | None = None  # of a mirror: how its original was asked, by scheme, name and port
    same_paths: int | None = None  # and paths of both that say the same, each something else; None: not looked into
    other_paths: int | None = None


def ranks_folder(directory: Path) -> Path:
    """Returns where the ranks of a crawl are."""
    return directory / "parquet" / FOLDER


def newest(directory: Path) -> Path | None:
    """Returns the newest ranks of the crawl in `directory`, None if there are none yet."""
    return max(ranks_folder(directory).glob(PATTERN), default=None)


def ranks_of(path: Path, shards: Collection[int]) -> Iterator[Rank]:
    """Yields the ranks of these shards; row groups without any are not read. MachineError if that is not possible."""
    # Here and not above: pyarrow takes longer to import than all the rest, and most crawls have no ranks yet.
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for group in _groups(file, shards):
                yield from _rows(file.read_row_group(group, columns=list(Rank.__struct_fields__)), shards)
    except (pa.ArrowException, OSError) as error:
        raise MachineError(f"ranks can't be read ({error})", str(path), REMEDY) from error


def _groups(file: pq.ParquetFile, shards: Collection[int]) -> Iterator[int]:
    about = file.metadata
    for group in range(about.num_row_groups):
        bounds = about.row_group(group).column(0).statistics
        if bounds is None or any(bounds.min <= shard <= bounds.max for shard in shards):
            yield group


def _rows(table: Any, shards: Collection[int]) -> Iterator[Rank]:
    columns = [column.to_pylist() for column in table.columns]
    for row in zip(*columns, strict=True):
        if row[0] in shards:
            yield Rank(*row)
