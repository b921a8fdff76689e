"""The table of forms that the nightly look has published: of which page a URL is another form.

DIR/parquet/ranks/forms-YYYYmmddHHMMSS.parquet, beside the ranks of the same look; see `docs/formats/ranks.md`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from skitter.errors import MachineError
from skitter.folder.atomic import whole
from skitter.rank.published import REMEDY, ranks_folder
from skitter.rank.survey.form import Form

FORMS = "forms-*.parquet"
KEPT = 2
GROUP = 20_000


def publish_forms(directory: Path, forms: Iterable[Form], now: float) -> Path:
    """Returns the file that holds the forms, which come in the order of their URLs; older ones go but for the last."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    kinds = (pa.string(), pa.string(), pa.uint32(), pa.uint32())
    schema = pa.schema(list(zip(Form._fields, kinds, strict=True)))
    folder, rows = ranks_folder(directory), iter(forms)
    path = folder / f"forms-{time.strftime('%Y%m%d%H%M%S', time.gmtime(now))}.parquet"
    try:
        with whole(path) as stream, pq.ParquetWriter(stream, schema, compression="zstd") as writer:
            while some := list(islice(rows, GROUP)):
                columns = zip(*some, strict=True)
                writer.write_batch(pa.record_batch([pa.array(column) for column in columns], schema.names).cast(schema))
        for old in sorted(folder.glob(FORMS))[:-KEPT]:
            old.unlink(missing_ok=True)
    except (pa.ArrowException, OSError) as error:
        raise MachineError(f"forms can't be written ({error})", str(path), "Make room or mend the disk.") from error
    return path


def form_of(directory: Path, url: str) -> Form | None:
    """Returns which page a URL is a form of, by the newest table; None: it is not known to be one of several."""
    path = max(ranks_folder(directory).glob(FORMS), default=None)
    if path is None:
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_table(path, filters=[("url", "==", url)]).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise MachineError(f"forms can't be read ({error})", str(path), REMEDY) from error
    return Form(**found[0]) if found else None
