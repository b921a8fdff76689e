"""When a page that was there and is gone is asked for again. Pure.

A page that never was there is given up at the first 404. One that we have a copy of may be back in an hour (somebody's
mistake), in a day, in a week; 410 and 451 say that somebody meant it.
"""

from __future__ import annotations

from skitter.settings import DAY, HOUR

WAITS: dict[int, tuple[float, ...]] = {404: (HOUR, DAY, 7 * DAY), 410: (DAY,), 451: (DAY,)}
"""How long is waited before each new try, by what the server said."""


def back_by(status: int, tries: int, now: float, most: int) -> float | None:
    """Returns when to ask again for a page that is gone since `tries` tries, at most so often; None: never."""
    waits = WAITS.get(status, ())[:most]
    return now + waits[tries] if tries < len(waits) else None
