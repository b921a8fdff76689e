"""`python -m tests.sim.mutations [NAME…]`: looks for each bug until a seed finds it, and prints the table of them."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.sim.mutations import MOST_SEEDS, first_found, mutated, mutations, simulate


def main() -> int:
    """Returns how many were not found."""
    missed = 0
    for name in sys.argv[1:] or mutations():
        with tempfile.TemporaryDirectory() as directory:
            source = mutated(name, Path(directory))
            code, said = simulate(source, "--seeds", f"0-{MOST_SEEDS - 1}", "--first")
        missed += not code
        line = "| {} | {} | {} |".format(name, *first_found(said)) if code else f"| {name} | not found | |"
        sys.stdout.write(f"{line[:300]}\n")
        sys.stdout.flush()
    return missed


sys.exit(main())
