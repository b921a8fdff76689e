"""Several CDXJ files as one: sorted, after a line that says what it is made of. Memory: a line of each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from heapq import merge
from pathlib import Path

from skitter.store.index.holding import META, meta_line, sources_of_lines


class Lines:
    """How CDXJ files are merged."""

    def merge(self, path: Path, parts: Sequence[Path], made_of: Sequence[str]) -> None:
        """Writes `path` and returns when it is on the disk."""
        with ExitStack() as stack, path.open("wb") as file:
            opened = [stack.enter_context(part.open("rb")) for part in parts]
            file.write(meta_line(made_of))
            file.writelines(merge(*(_lines(one) for one in opened)))
            file.flush()
            os.fsync(file.fileno())

    def sources(self, path: Path) -> frozenset[str]:
        """Returns what a merged file is made of."""
        return sources_of_lines(path)


def _lines(opened: Iterator[bytes]) -> Iterator[bytes]:
    return (line for line in opened if not line.startswith(META))
