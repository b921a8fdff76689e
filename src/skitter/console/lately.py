"""A run at one moment, out of what its supervisor last wrote. Pure."""

from __future__ import annotations

from skitter.console.views import Live
from skitter.supervisor.lastrun import LastRun


def live_of(run: LastRun) -> Live:
    """Returns how a run stands, or stood when it ended."""
    counted = run.counted
    return Live(
        run.began,
        run.at,
        run.ended,
        run.nodes,
        run.ready - sum(not line.is_up for line in run.lines),
        counted.pages,
        counted.requests,
        counted.received,
        run.page_rate,
        run.byte_rate,
        run.in_flight,
        run.urls,
        counted.failures,
        counted.statuses,
        run.stages,
        run.busiest,
        run.troubles,
        run.fresh,
        run.margin,
        run.late,
        run.to_render,
        run.notes,
        counted.skipped,
        counted.refused,
        counted.traps,
        run.lines,
    )
