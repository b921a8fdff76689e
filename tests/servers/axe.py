"""axe-core, which finds what keeps people from using a page; by npm, kept under `.cache/`.

`python -m tests.servers.axe`, which is part of `make servers`, brings it; where it can't be had it says so.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from skitter.servers.bringing import Say, emptied, locked, run
from skitter.servers.child import Unavailable
from tests.servers.jars import CACHE

VERSION = "4.10.3"
PLACE = CACHE / f"axe-{VERSION}.js"


def axe() -> str:
    """Returns its source; the test is skipped if it is not there."""
    if not PLACE.exists():
        pytest.skip("there is no axe-core: `make servers` brings it")
    return PLACE.read_text(encoding="utf-8")


def bring(say: Say) -> Path:
    """Returns where it is. Unavailable if it can't be had."""
    with locked(CACHE, "axe"):
        if not PLACE.exists():
            if shutil.which("npm") is None:
                raise Unavailable("there is no npm to bring axe-core: install it")
            say("downloading axe-core by npm")
            work = emptied(PLACE)
            work.mkdir(parents=True)
            package = f"axe-core@{VERSION}"
            run(["npm", "install", "--ignore-scripts", "--no-fund", "--no-audit", package], "npm", folder=work)
            (work / "node_modules/axe-core/axe.min.js").rename(PLACE)
            shutil.rmtree(work)
    return PLACE


if __name__ == "__main__":
    try:
        bring(lambda words: sys.stderr.write(f"{words}\n") and None)
    except Unavailable as why:
        sys.stderr.write(f"Tests of how usable pages are will be skipped: {why}\n")
