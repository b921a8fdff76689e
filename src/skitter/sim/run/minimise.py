"""The fewest faults of a plan that still break something."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from skitter.sim.run.plan import Fault, Plan


def minimised(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    """Returns a plan of which no fault can be left out: halves are tried first, then one at a time, until none goes."""
    faults = plan.faults
    size = max(1, len(faults) // 2)
    while size:
        kept = _without(faults, size, lambda some: fails(structs.replace(plan, faults=some)))
        size = size // 2 if len(kept) == len(faults) or size > len(kept) else size
        faults = kept
    return structs.replace(plan, faults=faults)


def _without(faults: tuple[Fault, ...], size: int, fails: Callable[[tuple[Fault, ...]], bool]) -> tuple[Fault, ...]:
    start = 0
    while start < len(faults):
        fewer = faults[:start] + faults[start + size :]
        if fails(fewer):
            faults = fewer
        else:
            start += size
    return faults
