"""What the servers of tests are made of is kept under `.cache/`.

`python -m tests.servers.jars`, which is `make servers`, brings it; where it can't be had it says so.
"""

from __future__ import annotations

import sys
from pathlib import Path

from skitter.servers.bringing import jars, java
from skitter.servers.child import Unavailable

CACHE = Path(__file__).parent.parent.parent / ".cache"


if __name__ == "__main__":
    try:
        java(CACHE, sys.stderr.write)
        jars(CACHE, lambda _: None)
    except Unavailable as why:
        sys.stderr.write(f"Tests with a Kafka broker will be skipped: {why}\n")
