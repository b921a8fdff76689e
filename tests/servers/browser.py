"""The browser of tests: the system's, or one that is kept under `.cache/`.

`python -m tests.servers.browser`, which is part of `make servers`, brings it; where it can't be had it says so.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

from skitter.render.finding import Found, find
from skitter.servers.browser import PROGRAM, bring_browser
from skitter.servers.child import Unavailable
from skitter.settings import RenderSettings
from tests.servers.jars import CACHE


def browser() -> Found | None:
    """Returns the browser that tests run, None if there is none."""
    for named in (str(CACHE / "browser" / PROGRAM), ""):
        if isinstance(found := find(named), Found):
            return found
    return None


def render_settings(**others: Any) -> RenderSettings:
    """Returns settings with that browser; the test is skipped if there is none."""
    found = browser()
    if found is None:
        pytest.skip("there is no browser: `make servers` brings one")
    return RenderSettings(browser=found.path, **others)


if __name__ == "__main__":
    try:
        if not isinstance(find(""), Found):
            bring_browser(CACHE, lambda words: sys.stderr.write(f"{words}\n") and None)
    except Unavailable as why:
        sys.stderr.write(f"Tests with a browser will be skipped: {why}\n")
