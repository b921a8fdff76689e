"""Reads Retry-After (RFC 9110 section 10.2.3): seconds to wait, or the date to wait for."""

from __future__ import annotations

from skitter.politeness.http_date import seconds_of

MOST_DIGITS = 15
"""More of them is beyond any limit; Python refuses to read numbers of thousands of digits."""


def parse(value: str, now: float, limit: float) -> float | None:
    """Returns the seconds from `now` that the server asks us to wait, 0 to `limit`; None if it can't be read.

    A date in the past is 0. A number with a sign or a fraction is not what the RFC allows, so it says nothing.
    """
    text = value.strip()
    if text.isascii() and text.isdigit():
        digits = text.lstrip("0")
        return limit if len(digits) > MOST_DIGITS else min(limit, float(digits or 0))
    then = seconds_of(text, now)
    return None if then is None else min(limit, max(0.0, then - now))
