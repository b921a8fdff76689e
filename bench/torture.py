"""The long run of the crash contract: crawls that are killed a hundred times and more, and a report of what was found.

    make torture            or: python -m bench.torture --kills 105 --seed 1 --report docs/torture.md

Each round is a simulated web of its own, crawled to its end by a process that is killed on a seeded schedule. The exit
code is 1 if any promise was broken; what was killed and broken is in the report, and the folder is kept then.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from skitter import __version__
from tests.faults.driver import How, Ordeal
from tests.faults.torture import DELAY, Torture, torture
from tests.faults.verdict import Verdict

KILLS_A_ROUND = 27
INTRODUCTION = (
    "What `make torture` found in a real run: crawls of the simulated web with two nodes, killed with `kill -9` on a",
    "seeded schedule, resumed each time, and crawled to their end. The judges are the server's log, the known truth of",
    "that web, warcio, FastWARC, our strict reader, and `skitter audit`; the crawler's own word is not asked.",
)


class Round(NamedTuple):
    """One crawl and its judgement."""

    wanted: Torture
    ordeal: Ordeal
    verdict: Verdict
    seconds: float


def main() -> int:
    """Returns the exit code."""
    options = _options()
    began = datetime.datetime.now(datetime.UTC)
    rounds: list[Round] = []
    while sum(len(one.ordeal.kills) for one in rounds) < options.kills:
        wanted = Torture(options.seed + len(rounds), KILLS_A_ROUND, options.hosts, options.pages)
        rounds.append(_round(wanted))
    report = _report(rounds, began, options)
    sys.stdout.write(report)
    if options.report is not None:
        options.report.write_text(report, encoding="utf-8")
    return 1 if any(one.verdict.faults for one in rounds) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.torture", description="Kills crawls, and judges them.")
    parser.add_argument("--kills", type=int, default=105, help="at the least")
    parser.add_argument("--seed", type=int, default=1, help="of the first round; each further one has the next")
    parser.add_argument("--hosts", type=int, default=100, help="of each round's web")
    parser.add_argument("--pages", type=int, default=30, help="of each host")
    parser.add_argument("--report", type=Path, help="where to write the report, beside standard output")
    return parser.parse_args()


def _round(wanted: Torture) -> Round:
    folder = Path(tempfile.mkdtemp(prefix="skitter-torture-"))
    began = time.monotonic()
    ordeal, verdict = torture(folder, wanted)
    seconds = time.monotonic() - began
    found = f"faults, kept in {folder}: {dict(verdict.faults)}" if verdict.faults else "no fault"
    sys.stderr.write(
        f"seed {wanted.seed}: {len(ordeal.kills)} kills, {verdict.pages} pages, {seconds:.0f} s, {found}\n"
    )
    if not verdict.faults:
        shutil.rmtree(folder)
    return Round(wanted, ordeal, verdict, seconds)


def _report(rounds: Sequence[Round], began: datetime.datetime, options: argparse.Namespace) -> str:
    return "\n".join(
        [
            "# Killed on purpose",
            "",
            *INTRODUCTION,
            "",
            f"- Command: `python -m bench.torture --kills {options.kills} --seed {options.seed} "
            f"--hosts {options.hosts} --pages {options.pages}`",
            f"- {began:%Y-%m-%d}, Skitter {__version__}, Python {platform.python_version()}, {os.cpu_count()} cores; "
            f"load average at the end {os.getloadavg()[1]:.1f}",
            f"- {len(rounds)} rounds, {sum(one.seconds for one in rounds) / 60:.0f} minutes in all; delay {DELAY} s, "
            "WARC files rolled at 64 KB",
            "",
            *_totals(rounds),
            "",
            *_by_kind(rounds),
            "",
            *_by_round(rounds),
            "",
            *_faults(rounds),
            "",
        ]
    )


def _totals(rounds: Sequence[Round]) -> list[str]:
    verdicts = [one.verdict for one in rounds]
    rows = {
        "kills": sum(len(one.ordeal.kills) for one in rounds),
        "requests at the servers": sum(verdict.requests for verdict in verdicts),
        "URLs discovered": sum(verdict.urls for verdict in verdicts),
        "pages done": sum(verdict.pages for verdict in verdicts),
        "lost: must be asked for and were not": _broken(verdicts, "lost"),
        "answered, yet not settled at the end": _broken(verdicts, "answered, yet not settled"),
        "settled, yet not in the archive": _broken(verdicts, "settled, yet not in the archive"),
        "settled, yet fetched again": _broken(verdicts, "settled, yet fetched again"),
        "fetched twice, having been leased at a kill (allowed)": sum(verdict.again for verdict in verdicts),
        "fetched twice for no such reason": _broken(verdicts, "fetched twice though not leased at a kill"),
        "hosts asked too early, or twice at once": _broken(verdicts, "too early", "early too often", "at once"),
        "asked for though forbidden, or before robots.txt": _broken(verdicts, "forbidden", "before robots.txt"),
        "violations that `skitter audit` finds": _broken(verdicts, "audit"),
        "stores whose counts by state do not add up": _broken(verdicts, "counts that do not add up"),
        "WARC files checked": sum(verdict.files for verdict in verdicts),
        "WARC records checked, by three readers": sum(verdict.records for verdict in verdicts),
        "Parquet rows compared with them": sum(verdict.rows for verdict in verdicts),
        "files or tables found wrong": _broken(verdicts, "archive"),
    }
    return ["| | |", "|---|---|", *(f"| {name} | {number:,} |" for name, number in rows.items())]


def _broken(verdicts: Sequence[Verdict], *names: str) -> int:
    return sum(len(verdict.faults.get(name, ())) for verdict in verdicts for name in names)


def _by_kind(rounds: Sequence[Round]) -> list[str]:
    kills = Counter(kill.how for one in rounds for kill in one.ordeal.kills)
    return ["| killed | times |", "|---|---|", *(f"| {how} | {kills[how]} |" for how in How)]


def _by_round(rounds: Sequence[Round]) -> list[str]:
    head = "| seed | kills | requests | pages done | twice | WARC files | records | seconds | faults |"
    return [head, "|---|---|---|---|---|---|---|---|---|", *map(_row, rounds)]


def _row(one: Round) -> str:
    verdict = one.verdict
    numbers = (one.wanted.seed, len(one.ordeal.kills), verdict.requests, verdict.pages, verdict.again)
    more = (verdict.files, verdict.records, round(one.seconds), sum(map(len, verdict.faults.values())))
    return "| " + " | ".join(f"{number:,}" for number in (*numbers, *more)) + " |"


def _faults(rounds: Sequence[Round]) -> list[str]:
    found = [(one.wanted.seed, *fault) for one in rounds for fault in one.verdict.faults.items()]
    if not found:
        return ["No promise was broken."]
    return [f"- seed {seed}: {name}: {where}" for seed, name, where in found]


if __name__ == "__main__":
    sys.exit(main())
