"""The time, in seconds since the epoch, that never jumps while we run.

The machine's clock may be set forward or back at any moment; a delay measured on it would then be cut short. We read
it once and count on from there, so that spans are true, and times are as good as the clock was at the start.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

Clock: TypeAlias = Callable[[], float]


def lasting_clock() -> Clock:
    """Returns a steady clock that also counts while the machine sleeps: a lease must not outlive that."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return steady_clock()
    since_boot = partial(time.clock_gettime, time.CLOCK_BOOTTIME)
    offset = time.time() - since_boot()
    return lambda: offset + since_boot()


def steady_clock() -> Clock:
    """Returns a clock that starts at the machine's time and then only ever counts on."""
    monotonic = time.monotonic  # looked up once: a page asks for the time a dozen times
    offset = time.time() - monotonic()
    return lambda: offset + monotonic()
