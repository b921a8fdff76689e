"""The names of index files, without their endings. Pure.

`skitter-20261115204551-n1-00000` is the index of the WARC file of that name, `skitter-20261115-merged-00000` of several
WARC files of that day; it sorts before those that the day gets later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from skitter.store.warc.file import PREFIX

_MERGED = re.compile(rf"{PREFIX}-(\d{{8}})-merged-(\d{{5,}})$")
_LOOSE = re.compile(rf"{PREFIX}-(\d{{8}})\d{{6}}-.+-\d{{5,}}$")


def merged_prefix(day: str) -> str:
    """Returns how the names of the merged files of a day begin."""
    return f"{PREFIX}-{day}-merged-"


def next_merged(day: str, names: Iterable[str]) -> str:
    """Returns the name of the next merged file of a day, after all of `names`."""
    numbers = (int(found[2]) for name in names if (found := _MERGED.match(name)) is not None)
    return f"{merged_prefix(day)}{max(numbers, default=-1) + 1:05d}"


def is_merged(name: str) -> bool:
    """Whether that is the name of a merged file."""
    return _MERGED.match(name) is not None


def day_in(name: str) -> str | None:
    """Returns the day of an index file, `20261115`; None if it is not one of ours."""
    found = _LOOSE.match(name) or _MERGED.match(name)
    return None if found is None else found[1]
