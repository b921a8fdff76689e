"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from skitter.errors import MachineError


def write_whole(file: Path, content: bytes, *, on_disk: bool = True) -> None:
    """Returns when `file` holds `content`. After a crash it holds that, or what it held before.

    Only if it is `on_disk` does it survive a power cut too; that may take as long as the disk likes.
    """
    with whole(file, on_disk=on_disk) as stream:
        stream.write(content)


@contextmanager
def whole(file: Path, *, on_disk: bool = True) -> Iterator[BinaryIO]:
    """Yields a stream; what was written to it is in `file` once the block has ended, and if it fails nothing is."""
    hidden = file.with_name(f".{file.name}")
    try:
        with hidden.open("wb") as stream:
            yield stream
            stream.flush()
            if on_disk:
                os.fsync(stream.fileno())
        hidden.rename(file)
    except BaseException:
        hidden.unlink(missing_ok=True)
        raise


def keep_whole(file: Path, content: bytes) -> None:
    """Does the same for a file that no crawl can be without; MachineError if it can't be written."""
    try:
        write_whole(file, content)
    except OSError as error:
        remedy = "Make room or mend the disk, then start the same command again."
        raise MachineError(f"{file.name} can't be written", f"{file} ({error.strerror})", remedy) from error
