"""Where the index files of a WARC file are.

DIR/cdxj/NAME.cdxj   DIR/parquet/{captures,failures,links,hosts}/NAME.parquet
"""

from __future__ import annotations

from pathlib import Path

from skitter.store.warc.file import SUFFIX

TABLES = ("captures", "failures", "links", "hosts")
TEMPORARY = ".tmp"


def index_paths(directory: Path, file: str) -> dict[str, Path]:
    """Returns where the index files of `file` are, by name; `cdxj` comes last."""
    stem = file.removesuffix(SUFFIX)
    tables = {name: directory / "parquet" / name / f"{stem}.parquet" for name in TABLES}
    return {**tables, "cdxj": directory / "cdxj" / f"{stem}.cdxj"}


def temporary(path: Path) -> Path:
    """Returns the name under which a file is made."""
    return path.with_name(path.name + TEMPORARY)
