"""CPU time compared on a machine that others share: what is a promise about time, and fails by no noise."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

Work = Callable[[], object]

ROUNDS = 10


def spent(work: Work) -> float:
    """Returns the CPU seconds this thread took for it, less the collector's, which go with the whole test process."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        work()
        return time.thread_time() - began
    finally:
        if collecting:
            gc.enable()


def dearer(small: Work, large: Work, bound: float, grace: float = 0.0) -> float:
    """Returns how many times as much the large work takes, less `grace` seconds: the least that was seen.

    The two are done in turn, since the speed of a shared machine changes from second to second, and over again only
    while the bound is passed: noise makes a round dearer, never cheaper, and is not there in all of them.
    """
    least, most = spent(small), spent(large)
    for _ in range(ROUNDS - 1):
        if most - grace <= bound * least:
            break
        # The small one as it is now, not as it was in its best moment: both belong to one round.
        again = spent(small), spent(large)
        if again[1] * least < most * again[0]:
            least, most = again
    return max(0.0, most - grace) / least


def cheapest(work: Work, bound: float) -> float:
    """Returns the CPU seconds that the work takes: the least that was seen, tried again only while past the bound."""
    least = spent(work)
    for _ in range(ROUNDS - 1):
        if least <= bound:
            break
        least = min(least, spent(work))
    return least
