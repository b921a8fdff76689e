"""A headless browser, brought to this machine by Debian's apt if it is not there, unpacked into a cache.

Nothing is installed: the packages that the machine lacks are downloaded and unpacked beside one another, and
`skitter.render.finding` knows where their libraries lie. apt's own lists are used, or, if there are none, private ones.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from skitter.servers.bringing import Say, emptied, locked, run
from skitter.servers.child import Unavailable

PACKAGE = "chromium-headless-shell"
PROGRAM = f"usr/lib/chromium/{PACKAGE}"


def bring_browser(cache: Path, say: Say) -> Path:
    """Returns a browser in the cache. Unavailable if it can't be had."""
    folder = cache / "browser"
    with locked(cache, "browser"):
        if not (folder / PROGRAM).exists():
            say(f"downloading a browser (Debian's {PACKAGE}, 100 MB) by apt")
            _bring(folder)
    return folder / PROGRAM


def _bring(folder: Path) -> None:
    for program in ("apt-get", "dpkg-deb"):
        if shutil.which(program) is None:
            raise Unavailable(f"there is no {program} to bring a browser: install a Chromium")
    begun = emptied(folder)
    packages = begun / "packages"
    packages.mkdir(parents=True)
    options, names = _lacking(begun)
    run(["apt-get", *options, "download", *names], "apt", folder=packages)
    for package in sorted(packages.iterdir()):
        run(["dpkg-deb", "--extract", str(package), str(begun)], "dpkg-deb")
    shutil.rmtree(packages)
    if not (begun / PROGRAM).exists():
        raise Unavailable(f"the package {PACKAGE} has no {PROGRAM}")
    begun.rename(folder)


def _lacking(begun: Path) -> tuple[list[str], list[str]]:
    """Returns the packages that this machine lacks, and the options of apt that know them."""
    state = begun / "apt"
    own = ["-o", f"Dir::State::Lists={state}/lists", "-o", f"Dir::Cache={state}/cache"]
    own += ["-o", "APT::Sandbox::User="]  # else it would be another user, who may not write here
    try:
        return [], _named([])
    except Unavailable:  # no lists, mostly
        for folder in ("lists/partial", "cache/archives/partial"):
            (state / folder).mkdir(parents=True)
        run(["apt-get", *own, "update"], "apt")
        return own, _named(own)


def _named(options: list[str]) -> list[str]:
    told = run(["apt-get", *options, "install", "--simulate", "--no-install-recommends", PACKAGE], "apt")
    names = [line.split()[1] for line in told.splitlines() if line.startswith("Inst ")]
    if PACKAGE not in names:
        raise Unavailable(f"apt knows no {PACKAGE}")
    return names
