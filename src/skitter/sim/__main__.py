"""`python -m skitter.sim`: simulated crawls from seeds, and one of them in detail."""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
from pathlib import Path
from types import FrameType

import msgspec

from skitter.leaving import leave_after
from skitter.sim.fleet.crawl import crawl_fleet
from skitter.sim.fleet.trial import FleetTrial, fleet_trial_of
from skitter.sim.run.crawl import Hung, Result, crawl
from skitter.sim.run.many import Summary, run_many
from skitter.sim.run.minimise import minimised
from skitter.sim.run.report import command, progress, report
from skitter.sim.run.story import Story
from skitter.sim.run.sweep import RENDER, named, sweep
from skitter.sim.run.trial import Trial

LONGEST = 100
"""Seconds of processor time for one crawl: hundreds of times what most take, some more than fifty nodes do."""
FLEET = "fleet:"
"""What the name of a fleet's trial begins with."""


def main() -> None:
    """Exits with 1 if a promise was broken."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The order of a set of strings is part of the story.
        environment = os.environ | {"PYTHONHASHSEED": "0"}
        os.execve(sys.executable, [sys.executable, "-m", "skitter.sim", *sys.argv[1:]], environment)  # noqa: S606
    args = _arguments()
    if args.worker:
        _work()
    elif args.seed is not None:
        sys.exit(_show(_named(args.seed), is_told=args.trace, is_minimised=args.minimise))
    else:
        sys.exit(_run(args))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m skitter.sim", description=__doc__)
    parser.add_argument("--seeds", default="0-99", help="from-to, both included")
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="as many seeds as there is time for, from the first of --seeds on"
    )
    parser.add_argument("--seed", help="one crawl, told; SEED@NODE:PLACE:NUMBER is one of a sweep, fleet:SEED a fleet")
    parser.add_argument("--fleet", action="store_true", help="fleets, on a broker, not crawls on one machine")
    parser.add_argument("--sweep", type=int, help="the crawl of this seed, killed at each place in turn")
    parser.add_argument("--trace", action="store_true", help="with --seed: all that happened, in the order of time")
    parser.add_argument("--minimise", action="store_true", help="with --seed: the fewest faults that still break it")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--first", action="store_true", help="stop at the first that fails")
    parser.add_argument("--render", action="store_true", help="crawls in which pages are empty without a browser")
    parser.add_argument("--report", type=Path, help="write what came of it to this file")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _work() -> None:
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    for line in sys.stdin:
        name = line.strip()
        result = msgspec.structs.replace(_crawled(_named(name)), name=name)
        sys.stdout.buffer.write(msgspec.json.encode(result) + b"\n")
        sys.stdout.buffer.flush()


def _named(name: str) -> Trial | FleetTrial:
    return fleet_trial_of(int(name.removeprefix(FLEET))) if name.startswith(FLEET) else named(name)


def _crawled(trial: Trial | FleetTrial, story: Story | None = None) -> Result:
    """Returns what came of a trial, in a minute or two of processor time."""
    signal.signal(signal.SIGPROF, _give_up)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        return crawl_fleet(trial, story) if isinstance(trial, FleetTrial) else crawl(trial, story)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _give_up(_number: int, at: FrameType | None) -> None:
    where = "" if at is None else f"{at.f_code.co_filename}:{at.f_lineno}"
    raise Hung(f"It takes more than {LONGEST} s of processor time, and is at {where}")


def _show(trial: Trial | FleetTrial, *, is_told: bool, is_minimised: bool) -> int:
    result = _crawled(trial)
    if is_minimised and result.wrong:
        trial = minimised(trial, lambda fewer: bool(_crawled(fewer).wrong))
        sys.stdout.write("The fewest faults that still break it:\n")
    story = Story(told=is_told)
    result = _crawled(trial, story)
    sys.stdout.write(f"{trial}\n")
    sys.stdout.writelines(f"{line}\n" for line in story.lines())
    _say(result)
    return int(bool(result.wrong))


def _say(result: Result) -> None:
    sys.stdout.write(f"{result.sessions} sessions, {result.requests} requests, {result.urls} URLs, {result.mark}\n")
    sys.stdout.writelines(f"WRONG: {what}\n" for what in result.wrong)


def _run(args: argparse.Namespace) -> int:
    first, _, last = args.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1) if not args.minutes else range(int(first), 10**9)
    names = (
        (f"{RENDER * args.render or FLEET * args.fleet}{seed}" for seed in seeds)
        if args.sweep is None
        else sweep(args.sweep)
    )

    def on_result(summary: Summary) -> bool:
        if sys.stderr.isatty() or summary.crawls % 100 == 0:
            sys.stderr.write(f"\r{progress(summary)} " if sys.stderr.isatty() else f"{progress(summary)}\n")
        return not (args.first and summary.failing)

    summary = run_many(names, args.minutes, args.workers, on_result)
    sys.stdout.write(f"\n{report(summary)}")
    for result in summary.failing:
        sys.stdout.write(f"\n{command(result.name, ' --trace')}\n")
        sys.stdout.writelines(f"    {what}\n" for what in result.wrong[:5])
    if args.report is not None:
        args.report.write_text(report(summary), encoding="utf-8")
    return int(bool(summary.failing))


leave_after(main)
