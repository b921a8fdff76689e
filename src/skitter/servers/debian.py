"""A program of a Debian package, brought to this machine by apt if it is not there, unpacked into a cache.

Nothing is installed: the packages that the machine lacks are downloaded and unpacked beside one another. apt's own
lists are used, or, if there are none, private ones.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from skitter.servers.bringing import Say, emptied, locked, run
from skitter.servers.child import Unavailable


class Package(NamedTuple):
    """What is brought: the package, its program, what it is called when that is told, and where it is kept."""

    name: str
    program: str
    told: str
    folder: str
    alone: bool = False  # without what it depends on: a program that needs nothing but the C library


def bring(package: Package, cache: Path, say: Say) -> Path:
    """Returns the program in the cache. Unavailable if it can't be had."""
    folder = cache / package.folder
    with locked(cache, package.folder):
        if not (folder / package.program).exists():
            say(f"downloading {package.told} by apt")
            _bring(package, folder)
    return folder / package.program


def _bring(package: Package, folder: Path) -> None:
    for program in ("apt-get", "dpkg-deb"):
        if shutil.which(program) is None:
            raise Unavailable(f"there is no {program} to bring {package.told}")
    begun = emptied(folder)
    packages = begun / "packages"
    packages.mkdir(parents=True)
    options, names = _lacking(package.name, begun)
    wanted = [package.name] if package.alone else names
    run(["apt-get", *options, "download", *wanted], "apt", folder=packages)
    for file in sorted(packages.iterdir()):
        run(["dpkg-deb", "--extract", str(file), str(begun)], "dpkg-deb")
    shutil.rmtree(packages)
    if not (begun / package.program).exists():
        raise Unavailable(f"the package {package.name} has no {package.program}")
    begun.rename(folder)


def _lacking(name: str, begun: Path) -> tuple[list[str], list[str]]:
    """Returns the packages that this machine lacks, and the options of apt that know them."""
    state = begun / "apt"
    own = ["-o", f"Dir::State::Lists={state}/lists", "-o", f"Dir::Cache={state}/cache"]
    own += ["-o", "APT::Sandbox::User="]  # else it would be another user, who may not write here
    try:
        return [], _named(name, [])
    except Unavailable:  # no lists, mostly
        for folder in ("lists/partial", "cache/archives/partial"):
            (state / folder).mkdir(parents=True)
        run(["apt-get", *own, "update"], "apt")
        return own, _named(name, own)


def _named(name: str, options: list[str]) -> list[str]:
    told = run(["apt-get", *options, "install", "--simulate", "--no-install-recommends", name], "apt")
    names = [line.split()[1] for line in told.splitlines() if line.startswith("Inst ")]
    if name not in names:
        raise Unavailable(f"apt knows no {name}")
    return names
