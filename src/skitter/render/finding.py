"""Where a browser is: the one that the operator names, or the first that is known on the PATH."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)
"""The lean ones first: a page costs a fourth of what it costs in a whole Chromium."""
LIBRARIES = ("usr/lib/*-linux-gnu", "usr/lib/*-linux-gnu/pulseaudio")
"""Where the libraries lie beside a browser that was unpacked and not installed."""
HOW = "install Debian's chromium-headless-shell (or another Chromium), or name one as render.browser"


class Found(Struct, frozen=True):
    """A browser, and what its environment must have."""

    path: str
    environment: Mapping[str, str] = {}


def find(named: str) -> Found | str:
    """Returns the browser to run, or what is missing, in a sentence for the operator."""
    if named:
        path = shutil.which(Path(named).expanduser())
        return _with_libraries(path) if path is not None else f"render.browser = {named!r} is no program; {HOW}"
    for name in NAMES:
        if (path := shutil.which(name)) is not None:
            return _with_libraries(path)
    return f"there is no browser on this machine: {HOW}"


def _with_libraries(path: str) -> Found:
    real = Path(path).resolve()
    top = real.parents[3] if len(real.parents) > 3 else Path("/")
    if top == Path("/") or real.parent != top / "usr/lib/chromium":
        return Found(path)
    folders = [str(folder) for pattern in LIBRARIES for folder in sorted(top.glob(pattern))]
    return Found(path, {"LD_LIBRARY_PATH": os.pathsep.join(folders)})
