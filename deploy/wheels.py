"""`make wheels`: a wheel for every Linux since 2012, with both native modules in it: installing needs no compiler.

The modules are linked by zig against glibc 2.17 (`native/cargo-zig`). A wheel that lacks one of them, or asks for a
newer glibc than its name says, is an error: it would install, and then be slow, or not start at all.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

TOP = Path(__file__).parents[1]
NEWEST = (2, 17)
MODULES = ("skitter/_native.abi3.so", "skitter/_tls.abi3.so")


def main() -> None:
    """Builds the wheel into `dist/` and prints what it is."""
    tag = f"manylinux_{NEWEST[0]}_{NEWEST[1]}_{platform.machine()}"
    made = build(tag)
    wrong = faults(made)
    if wrong:
        made.unlink()
        sys.exit("\n".join(wrong))
    print(f"{made.relative_to(TOP)}: {made.stat().st_size / 1e6:.1f} MB, glibc {NEWEST[0]}.{NEWEST[1]} or later")


def build(tag: str) -> Path:
    """Returns the new wheel."""
    dist = TOP / "dist"
    for old in dist.glob("skitter-*.whl"):
        old.unlink()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    places = {
        "CARGO": str(TOP / "native" / "cargo-zig"),
        "CARGO_TARGET_DIR": str(TOP / "build" / "wheels"),
        "PATH": path,
    }
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--wheel-dir", str(dist))
    options = f"--config-settings=--build-option=--plat-name={tag}"
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", str(TOP), *quiet, options], check=True, env={**os.environ, **places}
    )
    return next(dist.glob("skitter-*.whl"))


def faults(wheel: Path) -> list[str]:
    """Returns what is wrong with a wheel, a sentence each."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        missing = [f"{wheel.name}: {module} is not in it" for module in MODULES if module not in names]
        needs = {module: glibc(packed.read(module)) for module in MODULES if module in names}
    newer = [
        f"{wheel.name}: {module} needs glibc {need[0]}.{need[1]}" for module, need in needs.items() if need > NEWEST
    ]
    return missing + newer


def glibc(module: bytes) -> tuple[int, int]:
    """Returns the oldest glibc that a shared library runs with: symbols are named with the version that they need."""
    found = re.findall(rb"GLIBC_(\d+)\.(\d+)", module)
    return max(((int(major), int(minor)) for major, minor in found), default=(0, 0))


if __name__ == "__main__":
    main()
