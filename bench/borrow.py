"""The crawlers that Skitter is measured against, fetched into .cache: nothing is installed on the machine.

Each function returns how to call the program, or None after it has said why it can't be had.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pages import ROOT

CACHE = ROOT / ".cache" / "bench"
WANTED = Path(__file__).parent / "peers" / "requirements.txt"


class Program(NamedTuple):
    """How something is called."""

    command: list[str]
    environment: dict[str, str]
    version: str


@cache
def python_with(package: str) -> Program | None:
    """Returns a Python that has a package of `peers/requirements.txt`."""
    python = _environment()
    script = f"import importlib.metadata as m; print(m.version({package!r}))"
    got = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    if got.returncode:
        _say(package, "PyPI did not give it")
        return None
    return Program([str(python)], {}, got.stdout.strip())


@cache
def _environment() -> Path:
    folder = CACHE / "venv"
    python, done = folder / "bin" / "python", folder / "installed"
    if done.exists() and done.read_bytes() == WANTED.read_bytes():
        return python
    print("bench: sets up the peers' Python packages, once", file=sys.stderr)
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = [line for line in WANTED.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    together = subprocess.run([*pip, *wanted], capture_output=True, text=True, check=False)
    if together.returncode == 0:
        done.write_bytes(WANTED.read_bytes())
        return python
    # One that can't be had must not take the others with it.
    for one in wanted:
        subprocess.run([*pip, one], capture_output=True, check=False)
    return python


@cache
def debian(name: str) -> Program | None:
    """Returns a program out of its Debian package, with the libraries that the machine may not have."""
    folder = CACHE / name
    program = folder / "usr" / "bin" / name
    if not program.exists():
        _unpack(name, folder)
    libraries = sorted({str(file.parent) for file in folder.glob("usr/lib/**/*.so*")})
    environment = {"LD_LIBRARY_PATH": os.pathsep.join(libraries)}
    try:
        told = subprocess.run(
            [program, "--version"], env=os.environ | environment, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        _say(name, getattr(error, "stderr", "") or str(error))
        return None
    found = re.search(r"\d+\.[\w.]+", told.stdout)
    return Program([str(program)], environment, found[0] if found else "")


def _unpack(name: str, folder: Path) -> None:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return
    with tempfile.TemporaryDirectory() as scratch:
        for package in {name, *_libraries(name)}:
            subprocess.run(["apt-get", "download", package], cwd=scratch, capture_output=True, check=False)
        for file in sorted(Path(scratch).glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", file, folder], check=True)


def _libraries(name: str) -> set[str]:
    """Returns the libraries that a package needs, and those that they need, but for the C library."""
    found, new = set[str](), {name}
    for _ in range(2):
        got = subprocess.run(["apt-cache", "depends", *new], capture_output=True, text=True, check=False)
        new = set(re.findall(r"^\s*Depends: (lib[\w.+-]+)", got.stdout, re.MULTILINE)) - {"libc6", "libgcc-s1"} - found
        found |= new
    return found


def _say(name: str, why: str) -> None:
    print(f"bench: goes on without {name}: {' '.join(why.split())[-200:]}", file=sys.stderr)
