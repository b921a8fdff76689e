"""The folder of a crawl that never was, with tables as a crawl writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from skitter.folder.crawlfile import VERSION
from skitter.folder.routesfile import write_routes
from skitter.store.index.parquet import SCHEMAS, Table
from tests.rank.webs import ROUTES

NAME = "skitter-20260101000000-0-0000"


def made(folder: Path, *seeds: str) -> Path:
    """Returns the folder of a crawl without any table."""
    folder.mkdir(exist_ok=True)
    listed = ", ".join(f'"{seed}"' for seed in seeds or ("http://a.com/",))
    (folder / "crawl.json").write_text(f'{{"version": {VERSION}, "created": 0, "seeds": [{listed}]}}')
    write_routes(folder, ROUTES)
    return folder


def table_path(folder: Path, name: str, file: str = NAME) -> Path:
    """Returns where a table is."""
    path = folder / "parquet" / name / f"{file}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def write_links(folder: Path, *pairs: tuple[str, str], file: str = NAME, **more: object) -> None:
    """Writes a table of links."""
    said = {"tag": "a", "kind": "navigation", "nofollow": False, "anchor": "", "refused": None} | more
    table = Table(table_path(folder, "links", file), SCHEMAS["links"])
    table.extend([(source, target, *said.values()) for source, target in pairs])
    table.close()


def write_captures(folder: Path, rows: Iterable[Mapping[str, object]], file: str = NAME, **types: pa.DataType) -> None:
    """Writes a table of captures; `types` are of columns that are new, or of another type than today."""
    usual = {"errand": "page", "status": 200, "mime": "text/html", "content_bytes": 9000, "fetched_at": 1}
    kinds = {field.name: field.type for field in SCHEMAS["captures"]} | types
    whole = [usual | dict(row) for row in rows]
    columns = {name: pa.array([row.get(name) for row in whole], kind) for name, kind in kinds.items()}
    pq.write_table(pa.table(columns), table_path(folder, "captures", file))
