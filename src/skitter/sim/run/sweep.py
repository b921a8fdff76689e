"""A sweep: one crawl again and again, killed once each time, at the next place. So there is none that was left out."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from skitter.sim.life import ANY, STEP
from skitter.sim.run.crawl import crawl
from skitter.sim.run.trial import Fault, Trial, rendering_trial_of, trial_of

RENDER = "render:"


def named(name: str) -> Trial:
    """Returns the trial of a seed; or, of `SEED@NODE:PLACE:NUMBER`, the same crawl with this kill alone.

    With `render:` before the seed, some of its pages are empty without a browser.
    """
    seed, _, kill = name.partition("@")
    is_rendering = seed.startswith(RENDER)
    trial = rendering_trial_of(int(seed.removeprefix(RENDER))) if is_rendering else trial_of(int(seed))
    if not kill:
        return trial
    node, place, number = kill.split(":")
    fault = Fault("kill", node=int(node), life=1, place=place, number=int(number))
    return structs.replace(trial, faults=(fault,) if place else ())


def sweep(seed: int) -> Iterator[str]:
    """Yields a name for each place that the first life of each node passes, and for as many of its steps."""
    passed = crawl(named(f"{seed}@0::0")).passed
    for node, (places, steps) in enumerate(passed):
        yield from (f"{seed}@{node}:{ANY}:{number}" for number in range(1, places + 1))
        yield from (f"{seed}@{node}:{STEP}:{number}" for number in range(1, steps + 1, max(1, steps // max(1, places))))
