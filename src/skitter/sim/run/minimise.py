"""The fewest faults of a trial that still break something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from msgspec import structs

from skitter.sim.fleet.trial import FleetTrial
from skitter.sim.run.trial import Trial

AnyTrial = TypeVar("AnyTrial", Trial, FleetTrial, Trial | FleetTrial)
Faults: TypeAlias = tuple[Any, ...]


def minimised(trial: AnyTrial, fails: Callable[[AnyTrial], bool]) -> AnyTrial:
    """Returns one of which no fault can be left out: first halves are tried, then one at a time, until none goes."""
    faults: Faults = trial.faults
    size = max(1, len(faults) // 2)
    while size:
        kept = _without(faults, size, lambda some: fails(structs.replace(trial, faults=some)))
        size = size // 2 if len(kept) == len(faults) or size > len(kept) else size
        faults = kept
    return structs.replace(trial, faults=faults)


def _without(faults: Faults, size: int, fails: Callable[[Faults], bool]) -> Faults:
    start = 0
    while start < len(faults):
        fewer = faults[:start] + faults[start + size :]
        if fails(fewer):
            faults = fewer
        else:
            start += size
    return faults
