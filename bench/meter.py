"""Runs one command and writes down what it and all its children cost: `meter.py RESULT SECONDS COMMAND…`

CPU time is what the kernel has counted for every process of the tree once it has been waited for; this process becomes
the parent of those whose own parents have gone. Memory is looked at ten times a second; shared pages count once.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

from family import proportional

EVERY = 0.1
PATIENCE = 5.0
STALL = 15.0
"""Seconds without a hundredth of a second of work after which a command is ended: wget2 may hang when all is done."""

PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Runs, watches, waits for all, and writes JSON to RESULT."""
    result, limit, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)  # of whatever was run to start us
    began = time.monotonic()
    process = subprocess.Popen(command, start_new_session=True)
    peak, processes, ended = _watch(process, began + float(limit))
    seconds = time.monotonic() - began
    _end_the_rest(process.pid)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = {
        "seconds": seconds,
        "user": used.ru_utime - before.ru_utime,
        "system": used.ru_stime - before.ru_stime,
        "megabytes": peak,
        "processes": processes,
        "exit": ended or process.returncode,
    }
    Path(result).write_text(json.dumps(told), encoding="utf-8")


def _watch(process: subprocess.Popen[bytes], until: float) -> tuple[float, int, str]:
    """Returns the most megabytes, the most processes, and why it had to be ended, if it had to."""
    peak, most = 0.0, 0
    worked, work = time.monotonic(), -1
    while process.poll() is None:
        family = descendants(os.getpid())
        peak, most = max(peak, sum(map(proportional, family)) / 1024), max(most, len(family))
        if (now_work := sum(map(ticks, family))) != work:
            worked, work = time.monotonic(), now_work
        if time.monotonic() > until or time.monotonic() > worked + STALL:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return peak, most, "too slow" if time.monotonic() > until else "a standstill"
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(EVERY)
    return peak, most, ""


def _end_the_rest(group: int) -> None:
    """Waits for children that outlived the command: their time counts too."""
    until = time.monotonic() + PATIENCE
    with contextlib.suppress(ChildProcessError):
        while True:
            ended, _ = os.waitpid(-1, os.WNOHANG)
            if ended:
                continue
            if time.monotonic() > until:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)
                until = float("inf")
            time.sleep(0.02)


def descendants(pid: int) -> list[int]:
    """Returns the processes below one."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *descendants(child)]
    return found


def ticks(pid: int) -> int:
    """Returns the CPU time of a process so far, in hundredths of a second."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


if __name__ == "__main__":
    main()
