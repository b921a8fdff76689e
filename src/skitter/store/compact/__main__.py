"""A run over the indexes as a process of its own, started by the supervisor: `python -m skitter.store.compact DIR S`.

S is how many seconds nobody must have read a folder whose files become one.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from pathlib import Path

from skitter.errors import SkitterError
from skitter.leaving import leave_after
from skitter.store.compact.compact import compact
from skitter.store.compact.quiet import watching

NICEST = 19


def main() -> None:
    """Merges what is to be merged, whenever nobody else has need of the processor."""
    os.nice(NICEST)
    try:
        compact(Path(sys.argv[1]), time.time(), watched=partial(watching, longest=float(sys.argv[2])))
    except SkitterError as error:
        sys.stderr.write(f"skitter: {error}\n")
        sys.exit(error.exit_code)


leave_after(main)
