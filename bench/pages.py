"""Real pages to measure on: the HTML of some of Debian's documentation packages, fetched once into .cache/pages."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache" / "pages"
PACKAGES = ("python3-doc", "python3.11-doc", "postgresql-doc-15", "cppreference-doc-en-html")


def real_pages(count: int) -> list[Path]:
    """Returns `count` pages, spread evenly over all packages, always the same ones."""
    unpacked(CACHE, PACKAGES)
    files = sorted(path for path in CACHE.rglob("*.html") if path.is_file() and not path.is_symlink())
    step = max(1, len(files) // count)
    return files[::step][:count]


def unpacked(cache: Path, packages: Sequence[str]) -> Path:
    """Returns the folder with what is in some packages, downloaded if need be."""
    if not cache.is_dir():
        _fetch(cache, packages)
    return cache


def _fetch(cache: Path, packages: Sequence[str]) -> None:
    """Downloads packages and unpacks them; nothing is installed."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        sys.exit(
            "bench: real pages come from Debian packages: run this on Debian or Ubuntu, or put HTML into .cache/pages"
        )
    with tempfile.TemporaryDirectory() as folder:
        for package in packages:
            got = subprocess.run(
                ["apt-get", "download", package], cwd=folder, capture_output=True, text=True, check=False
            )
            if got.returncode:
                print(f"bench: no {package}: {got.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        packed = sorted(Path(folder).glob("*.deb"))
        if not packed:
            sys.exit("bench: no documentation package could be downloaded; `apt-get update` may help")
        unpacking = cache.with_name(f"{cache.name}.part")
        shutil.rmtree(unpacking, ignore_errors=True)
        unpacking.mkdir(parents=True)
        for file in packed:
            subprocess.run(["dpkg-deb", "-x", file, unpacking], check=True)
        unpacking.rename(cache)
