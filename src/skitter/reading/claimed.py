"""How long an answer is said to hold, by its headers. Pure."""

from __future__ import annotations

from skitter.messages import Fetched, header_values
from skitter.politeness.http_date import seconds_of
from skitter.schedule.claims import by_headers


def fresh_for(fetched: Fetched) -> float | None:
    """Returns the seconds for which an answer holds by its own word, if that is to be taken as one."""
    expires = header_values(fetched.headers, "expires")
    until = seconds_of(expires[0], fetched.ended) if expires else None
    return by_headers(header_values(fetched.headers, "cache-control"), until, fetched.ended)
