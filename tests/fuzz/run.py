"""Coverage-guided fuzzing of every target: `make fuzz`, or `python -m tests.fuzz.run --seconds 60 html robots`.

Each target runs in a process of its own, so that a crash in native code is found too. An input that breaks a target is
written to .cache/fuzz/ and named; put it into tests/fuzz/corpus/TARGET/ with the fix, and it is tried by `make test`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
MEMORY = Path("/dev/shm")  # noqa: S108 (a folder of its own is made in it)

CHILD = """
import sys, atheris
with atheris.instrument_imports(include=["skitter"]):
    from {module} import TARGETS
atheris.Setup(sys.argv, TARGETS[{name!r}])
atheris.Fuzz()
"""


class Plan(NamedTuple):
    """How to fuzz: the module with the targets, for how long each, from which seed, and where to keep what is found."""

    module: str
    seconds: int
    seed: int
    cache: Path


def fuzz(name: str, seeds: Sequence[bytes], plan: Plan) -> bool:
    """Returns whether fuzzing a target found nothing."""
    kept, found = CORPUS / name, plan.cache / name
    found.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (found / f"seed-{number}").write_bytes(seed)
    folders = [str(found), *([str(kept)] if kept.is_dir() else [])]
    run = _run([sys.executable, "-c", CHILD.format(module=plan.module, name=name), *_options(name, plan), *folders])
    tried = [line.split()[-1] for line in run.stderr.splitlines() if "number_of_executed_units" in line]
    outcome = "BROKEN" if run.returncode else "nothing found"
    print(f"{name:14} {outcome}, {tried[0] if tried else '?'} inputs", flush=True)
    if run.returncode:
        told = "\n".join(line for line in run.stderr.splitlines() if not line.startswith(("INFO", "#", "WARNING")))
        print(run.stdout[-4000:], told[-4000:], sep="\n", flush=True)
    return run.returncode == 0


def _options(name: str, plan: Plan) -> list[str]:
    return [
        f"-max_total_time={plan.seconds}",
        f"-seed={plan.seed}",
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-max_len=20000",
        "-print_final_stats=1",
        f"-artifact_prefix={plan.cache}/{name}-broken-",
    ]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    # The fuzzer ends without a farewell: what its targets leave behind goes with this folder.
    with tempfile.TemporaryDirectory(prefix="skitter-fuzz-", dir=MEMORY if MEMORY.is_dir() else None) as scratch:
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        env = {**os.environ, "PYTHONPATH": path, "TMPDIR": scratch}
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False, env=env)


def main() -> None:
    """Fuzzes the targets named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="TARGET", help="none: all")
    parser.add_argument("--seconds", type=int, default=180, help="for each target")
    parser.add_argument("--seed", type=int, default=0, help="to find the same again; 0: another each time")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "fuzz", help="where what is found is kept")
    parser.add_argument("--targets", default="tests.fuzz.targets", metavar="MODULE", help="where the targets are")
    options = parser.parse_args()
    seeds = importlib.import_module(options.targets).SEEDS
    if unknown := set(options.names) - set(seeds):
        parser.error(f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(seeds)}")
    plan = Plan(options.targets, options.seconds, options.seed, options.cache.absolute())
    results = [fuzz(name, seeds[name], plan) for name in options.names or seeds]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
