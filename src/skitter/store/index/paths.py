"""Where the index files of a WARC file are.

DIR/cdxj/NAME.cdxj   DIR/parquet/{captures,failures,links,hosts,images,text}/YYYY/MM/DD/NAME.parquet

Tables are in folders by day, as the WARC files. CDXJ files are not: pywb reads one folder, and none below it.
"""

from __future__ import annotations

from pathlib import Path

from skitter.store.warc.file import SUFFIX
from skitter.store.warc.places import day_of

CDXJ = "cdxj"
TABLES = ("captures", "failures", "links", "hosts")
CONTENTS = ("images", "text")
"""Tables that are made when the index is there already, see `contents`; the last of them tells that all are."""
TEMPORARY = ".tmp"


def index_paths(directory: Path, file: str) -> dict[str, Path]:
    """Returns where the index files of `file` are, by name; `cdxj` comes last."""
    stem = file.removesuffix(SUFFIX)
    tables = {name: table_folder(directory, name) / day_of(file) / f"{stem}.parquet" for name in TABLES}
    return {**tables, CDXJ: cdxj_folder(directory) / f"{stem}.cdxj"}


def content_paths(directory: Path, file: str) -> dict[str, Path]:
    """Returns where the tables of what the documents in `file` say are, by name; `text` comes last."""
    stem = file.removesuffix(SUFFIX)
    return {name: table_folder(directory, name) / day_of(file) / f"{stem}.parquet" for name in CONTENTS}


def undated_tables(directory: Path, file: str) -> list[Path]:
    """Returns where crawls from before there were days had the tables of `file`, if a crash left it without CDXJ."""
    return [table_folder(directory, name) / f"{file.removesuffix(SUFFIX)}.parquet" for name in TABLES]


def cdxj_folder(directory: Path) -> Path:
    """Returns the folder of the replay index."""
    return directory / CDXJ


def table_folder(directory: Path, name: str) -> Path:
    """Returns the folder that a kind of table is below."""
    return directory / "parquet" / name


def tables_of(directory: Path, name: str) -> list[Path]:
    """Returns the tables of that kind, in folders by day or, as older crawls have them, in none; oldest first."""
    return sorted(table_folder(directory, name).rglob("*.parquet"), key=lambda path: path.name)


def temporary(path: Path) -> Path:
    """Returns the name under which a file is made."""
    return path.with_name(path.name + TEMPORARY)
