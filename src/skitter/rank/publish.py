"""Writes the ranks: sorted by shard, a row group for no more than one of them, whole or not at all."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from skitter.errors import MachineError
from skitter.folder.atomic import whole
from skitter.rank.published import PATTERN, Rank, ranks_folder

KEPT = 2
GROUP = 20_000
_COUNT, _SHARE = pa.uint32(), pa.float32()

SCHEMA = pa.schema(
    [
        ("shard", pa.uint16()),
        ("kind", pa.string()),
        ("name", pa.string()),
        ("domain", pa.string()),
        ("worth", _SHARE),
        ("pagerank", _SHARE),
        ("trust", _SHARE),
        ("harmonic", _SHARE),
        ("in_degree", _COUNT),
        ("vouchers", _COUNT),
        ("ring", _COUNT),
        ("supporters", _COUNT),
        ("pages", _COUNT),
        ("duplicates", _SHARE),
        ("soft_404", _SHARE),
        ("thin", _SHARE),
        ("errors", _SHARE),
        ("changed", _SHARE),
        ("mirror_of", pa.string()),
        ("reasons", pa.list_(pa.string())),
        ("mirrored_at", pa.string()),
        ("same_paths", _COUNT),
        ("other_paths", _COUNT),
    ]
)
assert tuple(SCHEMA.names) == Rank.__struct_fields__


def publish(directory: Path, batches: Iterable[pa.RecordBatch], now: float) -> Path:
    """Returns the file that holds the batches, when it is on the disk; older ones are removed but for the last.

    Each batch is of one shard, and they come in order.
    """
    folder = ranks_folder(directory)
    path = folder / f"ranks-{time.strftime('%Y%m%d%H%M%S', time.gmtime(now))}.parquet"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with whole(path) as stream, pq.ParquetWriter(stream, SCHEMA, compression="zstd") as writer:
            for batch in batches:
                for part in _parts(batch):
                    writer.write_batch(part)
        for old in sorted(folder.glob(PATTERN))[:-KEPT]:
            old.unlink(missing_ok=True)
    except (pa.ArrowException, OSError) as error:
        raise MachineError(f"ranks can't be written ({error})", str(path), "Make room or mend the disk.") from error
    return path


def batch_of(columns: Mapping[str, Any]) -> pa.RecordBatch:
    """Returns columns, by name, as a batch of the table."""
    return pa.record_batch([_column(columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA)


def _column(column: Any, kind: pa.DataType) -> pa.Array:
    if isinstance(column, list):
        return pa.array(column, kind)
    whole_column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole_column.cast(kind)


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, GROUP):
        yield batch.slice(start, GROUP)
