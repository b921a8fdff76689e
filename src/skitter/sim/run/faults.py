"""Making a trial's faults happen: what can be said beforehand is set on the machine, the rest comes in its time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from skitter.frontier import committer, lease, requeue, window
from skitter.node import delivery, node
from skitter.shard import outbox
from skitter.sim.life import Fate
from skitter.sim.machine import Machine
from skitter.sim.run.trial import Trial
from skitter.supervisor import heartbeats

SMALL: tuple[tuple[object, str, int], ...] = (
    (delivery, "AT_ONCE", 2),
    (outbox, "IN_MEMORY", 2),
    (outbox, "MAX_LINKS", 2),
    (window, "BATCH", 2),
    (lease, "SKIPS_IN_A_ROW", 2),
    (requeue, "DUE_AT_A_TIME", 2),
    (requeue, "RECHECKED_AT_A_TIME", 2),
)
"""What is done so many at a time, made so small that a little crawl comes to its edges."""

LAZY = 0.5
"""Seconds until a commit, of those who take their time: long enough for much to be noted, and lost."""


@contextlib.contextmanager
def tuned(trial: Trial, *more: tuple[object, str, float]) -> Iterator[None]:
    """Has the crawler go about it as the trial wants, while it is open: how often it looks, how much it does."""
    wanted: list[tuple[object, str, float]] = [*more, (node, "TICK", trial.tick), (delivery, "LOOK_EVERY", trial.tick)]
    wanted += [(node, "REPORT_EVERY", 5.0), (node, "INBOX_EVERY", 5.0), (heartbeats, "EVERY", 5.0)]
    wanted += SMALL if trial.small else ()
    wanted += [(committer, name, LAZY) for name in ("COMMIT_AFTER", "COMMIT_AFTER_FEW")] if trial.lazy else ()
    before = [(module, name, getattr(module, name)) for module, name, _ in wanted]
    try:
        for module, name, value in wanted:
            setattr(module, name, value)
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def applied(trial: Trial, machine: Machine) -> None:
    """Sets what can be said beforehand."""
    disk, bus = machine.disk.faults, machine.net.faults
    machine.browser_faults = {"fails": trial.browsers_fail, "hangs": trial.browsers_fail / 2}
    for fault in trial.faults:
        match fault.what:
            case "kill":
                machine.fates[fault.node, fault.life] = Fate(fault.place, fault.number)
            case "write fails":
                disk.failing_writes |= {fault.number}
            case "sync fails":
                disk.failing_syncs |= {fault.number}
            case "disk is slow":
                disk.sync_takes = fault.share
            case "no files beside the stores":
                disk.keeps_files = False
            case "archive is full":
                machine.shelf.full.append((fault.at, fault.until))
            case "frames are late":
                bus.delay = fault.share
            case "frames are lost":
                bus.frame_lost = fault.share
            case "answers are lost":
                bus.answer_lost = fault.share
            case "frames come twice":
                bus.doubled = fault.share
            case "bus is cut":
                machine.net.cut.append((fault.at, fault.until))
