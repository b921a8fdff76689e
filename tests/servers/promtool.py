"""promtool, which checks and tries rules of Prometheus: the system's, or one that is kept under `.cache/`.

`python -m tests.servers.promtool`, which is part of `make servers`, brings it; where it can't be had it says so.
"""

from __future__ import annotations

import shutil
import sys

import pytest

from skitter.servers.child import Unavailable
from skitter.servers.debian import Package, bring
from tests.servers.jars import CACHE

PROMTOOL = Package("prometheus", "usr/bin/promtool", "promtool (of Debian's prometheus, 19 MB)", "promtool", alone=True)


def promtool() -> str:
    """Returns the program; the test is skipped if there is none."""
    kept = CACHE / PROMTOOL.folder / PROMTOOL.program
    found = shutil.which("promtool") or (str(kept) if kept.exists() else None)
    if found is None:
        pytest.skip("there is no promtool: `make servers` brings it")
    return found


if __name__ == "__main__":
    try:
        if shutil.which("promtool") is None:
            bring(PROMTOOL, CACHE, lambda words: sys.stderr.write(f"{words}\n") and None)
    except Unavailable as why:
        sys.stderr.write(f"Tests of alerts will be skipped: {why}\n")
