"""Single-page applications of several frameworks, built by npm and vite and kept under `.cache/`.

`python -m tests.servers.apps`, which is part of `make servers`, builds them; where that can't be done it says so.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

from skitter.servers.bringing import Say, emptied, locked, run
from skitter.servers.child import Unavailable
from tests.servers.jars import CACHE

SOURCE = Path(__file__).parent.parent / "render" / "apps"


def folder() -> Path:
    """Returns where the applications are once they are built: another place when their source changes."""
    digest = hashlib.sha256()
    for path in sorted(path for path in SOURCE.rglob("*") if path.is_file()):
        digest.update(path.read_bytes())
    return CACHE / f"apps-{digest.hexdigest()[:12]}"


def build(say: Say) -> Path:
    """Returns the folder with the applications. Unavailable if they can't be built."""
    built = folder()
    with locked(CACHE, "apps"):
        if not built.exists():
            for program in ("node", "npm"):
                if shutil.which(program) is None:
                    raise Unavailable(f"there is no {program} to build single-page applications: install it")
            say("downloading frameworks (60 packages, 15 MB) by npm, and building single-page applications with them")
            work = emptied(built)
            shutil.copytree(SOURCE, work)
            # Not `ci`, which wants every optional package of every platform to be in the registry.
            run(["npm", "install", "--ignore-scripts", "--no-fund", "--no-audit"], "npm", folder=work)
            run(["node", "build.mjs", str(work / "built")], "vite", folder=work)
            (work / "built").rename(built)
            shutil.rmtree(work)
    return built


if __name__ == "__main__":
    try:
        build(lambda words: sys.stderr.write(f"{words}\n") and None)
    except Unavailable as why:
        sys.stderr.write(f"Tests with single-page applications will be skipped: {why}\n")
