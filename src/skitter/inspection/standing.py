"""What a host of a crawl is waiting for, in one word."""

from __future__ import annotations

from enum import StrEnum


class Standing(StrEnum):
    """What a host is waiting for."""

    NEW = "new"  # its first visit
    READY = "ready"  # its turn, one delay after the last
    ASLEEP = "asleep"  # backing off
    NO_ROBOTS = "no_robots"  # its robots.txt can't be read
    OFF_HOURS = "off_hours"  # hours in which it may be visited
    OVER_QUOTA = "over_quota"  # the next day
    OVER_BUDGET = "over_budget"  # the next day, or what other pages of its domain earn it
    SINGLE = "single"  # that others of its domain show that names have an end: a single host leads to it
    UNVOUCHED = "unvouched"  # its turn among the domains that nobody vouches for
    BLOCKED = "blocked"  # its domain was blocked: by the operator, or until the operator decides
    PAUSED = "paused"  # the operator
    IDLE = "idle"  # nothing: there is nothing to fetch
