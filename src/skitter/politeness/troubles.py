"""What a host has put us through of late, and until when it is left alone for it.

Two reasons put a host to sleep, each with its own growth.

- It can't be reached, or tells us to stay away: a few seconds at first, since it may be a blip or one of several
  names, and eight times as long with each further failure in a row, up to a day.
- It answers, but with errors: five 5xx within 24 hours are an hour's sleep. From then on it is on probation: each
  further 5xx is a sleep twice as long, up to a day, until enough good answers in a row have made up for it.

Good answers undo both. All of it is plain numbers, so that it survives a restart.
"""

from __future__ import annotations

from msgspec import Struct, structs

from skitter.settings import DAY, HOUR

ERRORS = 5
ERRORS_WITHIN = DAY
FIRST_SLEEP, SLEEP_GROWTH, LONGEST_SLEEP = HOUR, 2.0, DAY
FIRST_REST, REST_GROWTH, LONGEST_REST = 10.0, 8.0, DAY
GOOD_IN_A_ROW = 10
"""Good answers after which the server errors that a host slept for are forgiven."""


class Troubles(Struct, frozen=True):
    """The recent troubles of one host."""

    asleep_until: float = 0.0
    failures: int = 0  # times in a row that it was out of reach
    errors: tuple[float, ...] = ()  # when server errors came, fewer than `ERRORS`: those slept for are gone
    sleeps: int = 0  # times in a row that server errors put it to sleep; any: it is on probation
    good: int = 0  # good answers in a row since then


NO_TROUBLES = Troubles()


def out_of_reach(troubles: Troubles, now: float, wish: float | None = None) -> Troubles:
    """Returns the troubles after a failure that is the host's; `wish` is the wait that it asked for itself."""
    rest = grown(FIRST_REST, REST_GROWTH, LONGEST_REST, troubles.failures) if wish is None else wish
    return structs.replace(
        troubles, asleep_until=max(troubles.asleep_until, now + rest), failures=troubles.failures + 1, good=0
    )


def server_error(troubles: Troubles, now: float) -> Troubles:
    """Returns the troubles after a 5xx: the fifth within a day puts the host to sleep, on probation the first."""
    recent = (*(at for at in troubles.errors if now - at < ERRORS_WITHIN), now)
    if len(recent) < ERRORS and not troubles.sleeps:
        return structs.replace(troubles, errors=recent)
    sleep = grown(FIRST_SLEEP, SLEEP_GROWTH, LONGEST_SLEEP, troubles.sleeps)
    return structs.replace(
        troubles,
        asleep_until=max(troubles.asleep_until, now + sleep),
        errors=(),
        sleeps=troubles.sleeps + 1,
        good=0,
    )


def answered_well(troubles: Troubles) -> Troubles:
    """Returns the troubles after a good answer: within reach at once, forgiven its errors after enough of them."""
    if not troubles.sleeps:
        # Errors that were not slept for stay: five in a day count, whatever came between.
        return structs.replace(troubles, failures=0) if troubles.failures else troubles
    if troubles.good + 1 < GOOD_IN_A_ROW:
        return structs.replace(troubles, failures=0, good=troubles.good + 1)
    return Troubles(asleep_until=troubles.asleep_until)


def grown(first: float, growth: float, ceiling: float, times: int) -> float:
    """Returns `first × growth^times`, at most `ceiling`."""
    # 64 doublings exceed any ceiling; a larger power would overflow a float.
    return min(ceiling, first * growth ** min(times, 64))
