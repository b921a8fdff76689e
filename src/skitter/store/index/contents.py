"""The tables of what documents say: `text` and `images`. `docs/formats/text.md` explains every column.

They are made from a WARC file after it is sealed, by `content`, and are no part of its index: a crawl does not wait for
them, and they can be made anew at any time.
"""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]

from skitter.store.index import parquet

_TIME = pa.timestamp("us")  # UTC
_HEADING = pa.struct([("level", pa.int8()), ("text", pa.string())])

TEXT = pa.schema(
    [
        ("url", pa.string()),
        ("host", pa.string()),
        ("fetched_at", _TIME),
        ("digest", pa.string()),
        ("status", pa.int32()),
        ("declared", pa.string()),
        ("media", pa.string()),
        ("how", pa.string()),
        ("rendered", pa.bool_()),
        ("revisit", pa.bool_()),
        ("title", pa.string()),
        ("description", pa.string()),
        ("lang", pa.string()),
        ("lang_score", pa.float32()),
        ("text", pa.string()),
        ("words", pa.int32()),
        ("headings", pa.list_(_HEADING)),
        ("published_at", _TIME),
        ("modified_at", _TIME),
        ("facts", pa.string()),
        ("fields", pa.string()),
        ("noindex", pa.bool_()),
        ("noarchive", pa.bool_()),
        ("nosnippet", pa.bool_()),
        ("noai", pa.bool_()),
        ("noimageai", pa.bool_()),
        ("tdm_reservation", pa.bool_()),
        ("tdm_policy", pa.string()),
        ("content_signal", pa.string()),
        ("content_usage", pa.string()),
        ("reserved", pa.list_(pa.string())),
        ("warc_file", pa.string()),
        ("warc_offset", pa.int64()),
        ("warc_length", pa.int64()),
    ]
)

IMAGES = pa.schema(
    [
        ("url", pa.string()),
        ("host", pa.string()),
        ("fetched_at", _TIME),
        ("digest", pa.string()),
        ("declared", pa.string()),
        ("media", pa.string()),
        ("bytes", pa.int64()),
        ("kept", pa.bool_()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("exif", pa.string()),
        ("page", pa.string()),
        ("noindex", pa.bool_()),
        ("noimageai", pa.bool_()),
        ("reserved", pa.list_(pa.string())),
        ("warc_file", pa.string()),
        ("warc_offset", pa.int64()),
        ("warc_length", pa.int64()),
    ]
)

SCHEMAS = {"text": TEXT, "images": IMAGES}
ALL_SCHEMAS = {**parquet.SCHEMAS, **SCHEMAS}
