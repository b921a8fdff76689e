"""Coverage-guided fuzzing of every target: `make fuzz`, or `python -m tests.fuzz.run --seconds 60 html robots`.

Each target runs in a process of its own, so that a crash in native code is found too. An input that breaks a target is
written to .cache/fuzz/ and named; put it into tests/fuzz/corpus/TARGET/ with the fix, and it is tried by `make test`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.fuzz.targets import SEEDS, TARGETS

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "fuzz"
CORPUS = Path(__file__).parent / "corpus"

CHILD = """
import sys, atheris
with atheris.instrument_imports(include=["skitter"]):
    from tests.fuzz.targets import TARGETS
atheris.Setup(sys.argv, TARGETS[{name!r}])
atheris.Fuzz()
"""


def fuzz(name: str, seconds: int) -> bool:
    """Returns whether `seconds` of fuzzing found nothing."""
    kept, found = CORPUS / name, CACHE / name
    found.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[name]):
        (found / f"seed-{number}").write_bytes(seed)
    options = [
        f"-max_total_time={seconds}",
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-max_len=20000",
        "-print_final_stats=1",
        f"-artifact_prefix={CACHE}/{name}-broken-",
    ]
    folders = [str(found), *([str(kept)] if kept.is_dir() else [])]
    command = [sys.executable, "-c", CHILD.format(name=name), *options, *folders]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": "."}
    )
    tried = [line.split()[-1] for line in run.stderr.splitlines() if "number_of_executed_units" in line]
    print(
        f"{name:14} {'nothing found' if run.returncode == 0 else 'BROKEN'}, {tried[0] if tried else '?'} inputs",
        flush=True,
    )
    if run.returncode:
        print(run.stderr[-4000:])
    return run.returncode == 0


def main() -> None:
    """Fuzzes the targets named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; none: all")
    parser.add_argument("--seconds", type=int, default=180, help="for each target")
    options = parser.parse_args()
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    results = [fuzz(name, options.seconds) for name in options.targets or TARGETS]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
