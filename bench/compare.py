"""What does a page cost, in Skitter and in others? `make bench`

Every contender crawls the same pages from the same server, one after another; nginx's access log says what each has
fetched. CPU time is that of all its processes, from start to end; the server's is not counted.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import figures
import fleets
import known
import picture
import tree as trees
from cases import CASES, Case, shape_of
from contenders import CONTENDERS
from discover import links_a_second
from figures import Row
from pages import ROOT
from report import machine
from serve import judge, require_free, served, trusting
from tree import Tree

SCRATCH = ROOT / ".cache" / "bench" / "run"
LIMIT = 900.0
"""Seconds after which a contender is ended."""
SLOW = 40.0
"""Seconds beyond which a contender runs once: what it costs is plain enough."""


def main() -> None:
    """Runs the cases that were asked for and prints a table for each."""
    options = _options()
    require_free(options.port)
    for checkout in filter(None, (ROOT, os.environ.get("BENCH_BEFORE"))):
        # As pip does when it installs: else every process of a run compiles all that it loads.
        compileall.compile_dir(Path(checkout) / "src", quiet=1)
    made = {name: _tree(CASES[name], options) for name in options.case}
    measured_on = machine()
    print(f"Measured: {measured_on}\n", flush=True)
    all_rows: dict[tuple[str, str], Row] = {}
    for name, tree in made.items():
        rows = _rows(CASES[name], tree, options)
        print(figures.table(CASES[name], tree, rows, options.known), flush=True)
        all_rows |= {(name, row.name): row for row in rows}
        if name == "plain" and options.picture and not options.only:
            drawn = picture.drawn(figures.bars(rows), [f"{tree.says()}.", f"{measured_on}."])
            options.picture.write_text(drawn, encoding="utf-8")
    print(figures.goals(all_rows, None if options.only else links_a_second()))
    print(f"\nLoad at the end: {' '.join(f'{load:.1f}' for load in os.getloadavg())}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", nargs="+", choices=CASES, default=list(CASES), metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--only", nargs="+", choices=CONTENDERS, metavar="NAME", help=", ".join(CONTENDERS))
    parser.add_argument("--pages", type=int, help="of every case; by default each has its own number")
    parser.add_argument("--known", type=int, default=1_000_000, help="URLs known before, in the case of that name")
    parser.add_argument("--rounds", type=int, default=3, help="in turn; the cheapest and the quickest count")
    parser.add_argument("--port", type=int, default=8480, help="where nginx listens; it is written into the pages")
    parser.add_argument("--picture", type=Path, help="where to draw the plain case, as SVG, if all take part in it")
    return parser.parse_args()


def _tree(case: Case, options: argparse.Namespace) -> Tree:
    tree = trees.tree_of(shape_of(case, options.pages)._replace(port=options.port))
    if case.gzip:
        trees.with_gzip(tree)
    return tree


def _rows(case: Case, tree: Tree, options: argparse.Namespace) -> list[Row]:
    for file in tree.files():
        file.read_bytes()  # from the disk once, not by whoever comes first
    runs: dict[str, list[Row]] = {}
    names = list(options.only or case.contenders)
    # In turn, and not one contender's rounds after the other's: the machine may be slower in the next minute.
    for number in range(options.rounds):
        for name in names if number == 0 else [name for name in runs if runs[name][0].seconds <= SLOW]:
            if (row := _run(name, case, tree, options.known)) is not None:
                runs.setdefault(name, []).append(row)
    return [figures.best(rows) for rows in runs.values()]


def _run(name: str, case: Case, tree: Tree, urls: int) -> Row | None:
    SCRATCH.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=SCRATCH))
    try:
        call = CONTENDERS[name].call(tree, folder)
        if call is None:
            return None
        if case.known:
            known.copied(tree, urls, folder / "out")
        print(f"bench: {name} …", end="", file=sys.stderr, flush=True)
        broker = fleets.broker_seconds()
        with served(tree, folder, gzip=case.gzip) as log:
            told = _metered(call.command, call.environment | trusting(tree), folder)
        asked = judge(tree, log)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    beside = f", the broker {broker_used:.1f} CPU s" if (broker_used := fleets.broker_seconds() - broker) else ""
    print(f" {told['seconds']:.0f} s{beside}", file=sys.stderr)
    asks_nobody = CONTENDERS[name].is_bound and name != "fetch"
    pages = len(tree.urls) if asks_nobody else asked.pages
    cpu = told["user"] + told["system"]
    return Row(name, call.version, cpu, told["megabytes"], told["seconds"], told["exit"], asked, pages)


def _metered(command: Sequence[str], environment: dict[str, str], folder: Path) -> dict[str, float]:
    meter = Path(__file__).with_name("meter.py")
    result = folder / "cost.json"
    with (folder / "said").open("wb") as said:
        subprocess.run(
            [sys.executable, meter, result, str(LIMIT), *command],
            cwd=folder,
            env=os.environ | environment,
            stdout=said,
            stderr=subprocess.STDOUT,
            check=True,
        )
    told: dict[str, float] = json.loads(result.read_bytes())
    if told["exit"]:
        print(f" ended with {told['exit']}: {_last_words(folder / 'said')}", end="", file=sys.stderr)
    return told


def _last_words(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")[-500:].strip()


if __name__ == "__main__":
    main()
