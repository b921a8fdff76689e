"""What a page said at its last changes, out of the tables of texts: a file of them is looked at for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from skitter.inspection.folder import Folder
from skitter.inspection.history import Visit, history
from skitter.messages import Reason
from skitter.store.index.holding import reading
from skitter.store.index.paths import content_paths

MOST = 4
LONGEST = 200_000


class Reading(Struct, frozen=True):
    """The main text of a page as it was at one visit."""

    at: float
    text: str


def readings(folder: Folder, url: str) -> list[Reading]:
    """Returns the texts of the last visits that found something new, the first one first, as far as there are any."""
    found = history(folder, url)
    if isinstance(found, Reason):
        return []
    told = [visit for visit in found.visits if not visit.failure and visit.changed is not False][-MOST:]
    return _texts(folder.directory, told)


def _texts(directory: Path, visits: Sequence[Visit]) -> list[Reading]:
    import pyarrow as pa  # type: ignore[import-untyped]  # here: it takes long to import
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    found: list[Reading] = []
    with reading(directory):
        for visit in visits:
            table = content_paths(directory, visit.file)["text"]
            try:
                rows = pq.read_table(table, columns=["text"], filters=[("warc_offset", "=", visit.offset)]).to_pylist()
            except (OSError, pa.ArrowException):  # it is not made yet, or texts are not wanted
                continue
            found += [Reading(visit.at, (row["text"] or "")[:LONGEST]) for row in rows[:1]]
    return found
