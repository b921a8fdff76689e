"""What can be asked of a fleet as a whole: what `skitter fleet status` knows, a few seconds old at the most."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from skitter.api.endpoints import Asked, Endpoint
from skitter.api.tokens import Role
from skitter.fleet.standing import FleetStanding

KEPT = 5.0
"""Seconds for which an answer is told again: whoever looks does not make Kafka work."""


def fleet_endpoints(standing: Callable[[], FleetStanding]) -> list[Endpoint]:
    """Returns what can be asked of a fleet; `standing` may wait for Kafka, in a thread."""
    known: list[tuple[float, FleetStanding]] = []
    asking = asyncio.Lock()

    async def status(_: Asked) -> FleetStanding:
        async with asking:
            if not known or time.monotonic() - known[-1][0] > KEPT:
                known[:] = [(time.monotonic(), await asyncio.to_thread(standing))]
        return known[-1][1]

    told = "Nodes and shards: who holds what, and how far behind it is."
    return [Endpoint("GET", "/v1/fleet", Role.READ, status, told, FleetStanding, problems=(500,))]
