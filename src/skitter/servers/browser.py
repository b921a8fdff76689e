"""A headless browser, brought to this machine if it is not there. `skitter.render.finding` knows its libraries."""

from __future__ import annotations

from pathlib import Path

from skitter.servers.bringing import Say
from skitter.servers.debian import Package, bring

NAME = "chromium-headless-shell"
PROGRAM = f"usr/lib/chromium/{NAME}"
BROWSER = Package(NAME, PROGRAM, f"a browser (Debian's {NAME}, 100 MB)", "browser")


def bring_browser(cache: Path, say: Say) -> Path:
    """Returns a browser in the cache. Unavailable if it can't be had."""
    return bring(BROWSER, cache, say)
