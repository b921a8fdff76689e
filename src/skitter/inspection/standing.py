"""What a host of a crawl is waiting for, in one word."""

from __future__ import annotations

from collections.abc import Mapping
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


WAITS: Mapping[Standing, str] = {
    Standing.NEW: "for a first visit to their host",
    Standing.READY: "for their turn",
    Standing.ASLEEP: "because their host is asleep after failures",
    Standing.NO_ROBOTS: "because the robots.txt of their host can't be read",
    Standing.OFF_HOURS: "for hours in which their host may be visited",
    Standing.OVER_QUOTA: "because the quota of their host is used up",
    Standing.OVER_BUDGET: "because their domain, which nobody vouches for, has had its share of today",
    Standing.SINGLE: "because a single host of their domain leads to theirs, and so it did to others without end",
    Standing.UNVOUCHED: "because nobody vouches for their domain, which earns its visits page by page",
    Standing.BLOCKED: "because their domain is blocked (`skitter review list`)",
    Standing.PAUSED: "because you paused their host",
    Standing.IDLE: "for nothing",
}
"""What the URLs of a host wait for, or because of."""
