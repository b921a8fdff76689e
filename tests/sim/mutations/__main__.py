"""`python -m tests.sim.mutations [NAME…]`: looks for each bug until a seed finds it, and prints the table of them."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.sim.mutations import MOST_SEEDS, first_found, mutated, mutations, simulate


def main() -> int:
    """Returns how many were not found."""
    missed = 0
    parser = argparse.ArgumentParser(prog="python -m tests.sim.mutations", description=__doc__)
    parser.add_argument("names", nargs="*", default=mutations())
    parser.add_argument("--workers", default="2")
    args = parser.parse_args()
    for name in args.names:
        with tempfile.TemporaryDirectory() as directory:
            source = mutated(name, Path(directory))
            code, said = simulate(source, "--seeds", f"0-{MOST_SEEDS - 1}", "--first", "--workers", args.workers)
        missed += not code
        line = "| {} | {} | {} |".format(name, *first_found(said)) if code else f"| {name} | not found | |"
        sys.stdout.write(f"{line[:300]}\n")
        sys.stdout.flush()
    return missed


sys.exit(main())
