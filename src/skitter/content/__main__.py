"""The tables of what documents say, as a process of its own beside a crawl: `python -m skitter.content DIR [WORKERS]`.

Without a number of workers it works whenever nobody else has need of the processor.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from skitter.content.making import make_missing
from skitter.errors import MachineError, SkitterError
from skitter.leaving import leave_after

NICEST = 19


def main() -> None:
    """Makes what is missing."""
    directory, workers = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if not workers:
        os.nice(NICEST)
    try:
        troubles = [made.trouble for made in make_missing(directory, workers or 1) if made.trouble]
        if troubles:
            raise MachineError(f"{len(troubles)} WARC files could not be read", str(directory), troubles[0])
    except SkitterError as error:
        sys.stderr.write(f"skitter: {error}\n")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    leave_after(main)
