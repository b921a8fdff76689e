"""Where WARC files are: `YYYY/MM/DD/NAME` below the folder, by the day in the name.

A name alone is enough to find a file, so names are what everything else keeps. Crawls from before there were days have
their files right in the folder: both are read, and what is new goes to its day.
"""

from __future__ import annotations

import re
from pathlib import Path

from skitter.store.disk import Disk
from skitter.store.warc.file import OPEN, PREFIX, SUFFIX

_DAY = re.compile(rf"{PREFIX}-(\d{{4}})(\d{{2}})(\d{{2}})\d{{6}}-")


def day_of(name: str) -> str:
    """Returns the folder of a file of this name, `2026/11/15`: when it was begun (UTC). Empty for a foreign name."""
    found = _DAY.match(name)
    return "/".join(found.groups()) if found is not None else ""


def relative_path(name: str) -> str:
    """Returns where a WARC file of this name belongs below its folder."""
    return f"{day}/{name}" if (day := day_of(name)) else name


def places_of(folder: Path, name: str) -> tuple[Path, Path]:
    """Returns where a file of this name may be: in its day, or as in crawls from before there were days."""
    return folder / relative_path(name), folder / name


def folder_of(path: Path) -> Path:
    """Returns the folder that a WARC file is in, above its day if it is in one."""
    place = relative_path(path.name)
    return path.parents[place.count("/")] if path.as_posix().endswith(f"/{place}") else path.parent


def sealed_files(folder: Path) -> list[Path]:
    """Returns the sealed files of both layouts, in the order of their names."""
    return _by_name(folder, SUFFIX)


def open_files(folder: Path) -> list[Path]:
    """Returns the files of both layouts that are being written, or were left so, in the order of their names."""
    return _by_name(folder, SUFFIX + OPEN)


def all_files(folder: Path) -> list[Path]:
    """Returns the files of both layouts, each once, sealed or not, in the order of their names."""
    left = open_files(folder)  # first: one that is sealed between the two looks is not to be missed
    sealed = sealed_files(folder)
    names = {path.name for path in sealed}
    still = [path for path in left if path.name.removesuffix(OPEN) not in names]
    return sorted([*sealed, *still], key=lambda path: path.name)


def make_day(disk: Disk, folder: Path, name: str) -> Path:
    """Returns where a new file of this name is to be; its folder is there, and survives a power cut. OSError if not."""
    path = folder / relative_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    for depth in range(relative_path(name).count("/")):  # of month, year and all: a file is begun once an hour
        disk.sync_folder(path.parents[depth + 1])
    return path


def _by_name(folder: Path, ending: str) -> list[Path]:
    return sorted(folder.rglob(f"*{ending}"), key=lambda path: path.name)
