"""A frontier ten times the size: each URL costs what it did, and memory holds a window, whatever is queued."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from tests.growth.load import Cost

WARM, SMALL, LARGE = 20_000, 40_000, 220_000
"""The first URLs fit into RocksDB's write buffers, and cost next to nothing: what comes after them is compared."""

TIMES = 10
DEARER = 12
TRIES = 5
GROWTH = 10.0
"""Megabytes. At 60 bytes for each URL, the large load would take more."""


def costs() -> list[Cost]:
    command = [sys.executable, "-m", "tests.growth.load", str(WARM), str(SMALL), str(LARGE)]
    told = subprocess.run(command, capture_output=True, check=True).stdout
    return msgspec.json.decode(told, type=list[Cost])


@pytest.mark.slow
def test_ten_times_the_urls_cost_ten_times_the_cpu_time_and_the_same_memory() -> None:
    found: list[float] = []
    while not found or (found[-1] > DEARER and len(found) < TRIES):
        warm, small, large = costs()
        assert large.pages - warm.pages > 0.9 * TIMES * (small.pages - warm.pages) > 0, "the loads are not alike"
        assert large.megabytes < small.megabytes + GROWTH
        slower = (large.gauge - warm.gauge) / (small.gauge - warm.gauge) / TIMES
        found.append((large.cpu - warm.cpu) / (small.cpu - warm.cpu) / slower)
    assert min(found) <= DEARER, f"times the CPU time for {TIMES} times the URLs, in {TRIES} tries: {found}"
