"""The nightly look as a process of its own, started by the supervisor: `python -m skitter.rank DIR`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from skitter.errors import SkitterError
from skitter.leaving import leave_after
from skitter.rank.look import look

NICEST = 19


def main() -> None:
    """Ranks the crawl in the folder that is named, whenever nobody else has need of the processor."""
    os.nice(NICEST)
    try:
        look(Path(sys.argv[1]), time.time())
    except SkitterError as error:
        sys.stderr.write(f"skitter: {error}\n")
        sys.exit(error.exit_code)


leave_after(main)
