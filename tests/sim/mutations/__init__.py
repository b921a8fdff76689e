"""Bugs made on purpose, as patches, and the means to let the simulator look for them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parents[2] / "src"
MOST_SEEDS = 300


def mutations() -> list[str]:
    """Returns the names of all."""
    return sorted(path.stem for path in HERE.glob("*.patch"))


def mutated(name: str, directory: Path) -> Path:
    """Returns a copy of the sources in `directory` that has the bug."""
    source = directory / "src"
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
    applying = ["git", "apply", "--unidiff-zero", str(HERE / f"{name}.patch")]
    # Outside of any repository, else git takes the paths to be relative to that.
    subprocess.run(applying, cwd=directory, env={**os.environ, "GIT_DIR": str(directory / "none")}, check=True)
    return source


def simulate(source: Path, *args: str) -> tuple[int, str]:
    """Runs the simulator of these sources; returns its exit code, and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "skitter.sim", *args],
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, done.stdout


def first_found(said: str) -> tuple[int, str]:
    """Returns the seed that broke a promise first, and which promise."""
    found = re.search(r"^- `python -m skitter\.sim --seed (\d+)`: (.*)", said, re.MULTILINE)
    assert found is not None, said
    return int(found[1]), found[2]
