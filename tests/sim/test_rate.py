"""A whole crawl in virtual time whose rate is limited: all requests of all nodes are counted."""

from __future__ import annotations

import pytest
from msgspec import structs

from skitter.sim.machine import Machine
from skitter.sim.run.crawl import crawl
from skitter.sim.run.story import Story
from skitter.sim.run.trial import Trial, trial_of
from skitter.supervisor.shares import SAVED

RATE = 0.5


class Seen(Story):
    """Remembers the machine."""

    def watch(self, machine: Machine) -> None:
        self.machine = machine
        super().watch(machine)


def limited(seed: int, rate: float) -> Trial:
    trial = trial_of(seed)
    settings = structs.replace(trial.settings, politeness=structs.replace(trial.settings.politeness, max_rate=rate))
    return structs.replace(trial, settings=settings, faults=(), sessions=1)


def most_in(times: list[float], window: float) -> int:
    """Returns the most requests in any window of so many seconds."""
    most = first = 0
    for last, at in enumerate(times):
        while times[first] <= at - window:
            first += 1
        most = max(most, last - first + 1)
    return most


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 8])
def test_the_whole_crawl_keeps_the_rate(seed: int) -> None:
    free, slow = Seen(), Seen()
    assert crawl(limited(seed, 0.0), free).wrong == []
    result = crawl(limited(seed, RATE), slow)
    assert result.wrong == [], "and fetches all that it would without"
    nodes = slow.machine.nodes
    fast, held = (sorted(request.began for request in story.machine.web.log) for story in (free, slow))
    beyond = nodes * (2 + RATE * SAVED)
    assert most_in(fast, 20.0) > RATE * 20 + beyond, "the limit has something to hold back"
    assert most_in(held, 20.0) <= RATE * 20 + beyond
    assert most_in(held, 60.0) >= 0.8 * RATE * 60, "and nothing is left unused while there is work"
