"""Which settings a running crawl can take, and what becomes of the others. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from skitter.config.fields import FIELDS
from skitter.settings import Settings

AT_RUN_TIME = frozenset(
    {
        "politeness.delay",
        "politeness.max_delay",
        "politeness.max_retry_after",
        "politeness.max_tries",
        "politeness.max_rate",
        "politeness.hours",
        "politeness.load_factor",
        "politeness.max_load_wait",
        "politeness.address_rate",
        "scope.allow",
        "scope.deny",
        "scope.max_depth",
        "scope.max_repeats",
        "schedule.recrawl",
        "schedule.host_class",
        "schedule.classes",
        "schedule.policy",
        "schedule.every",
        "schedule.refresh_share",
        "schedule.check_share",
        "frontier.daily_quota",
        "judge.probe_share",
        "judge.soft404",
        "node.in_flight",
        "node.domain_share",
        "node.stop_seconds",
        "node.linger",
    }
)
"""What nodes look up each time they need it. All else is built into something that is open: a store, a file, a
connection, a key that URLs are known by."""


class Taken(Struct, frozen=True):
    """The settings that are in force from now on, what changed in them, and what did not though it was asked for."""

    settings: Settings
    changed: Mapping[str, tuple[Any, Any]]  # by key: before, and now
    refused: Mapping[str, Any]  # by key: what was asked for

    def sentences(self) -> Sequence[str]:
        """Returns what is to be said of it, key by key."""
        taken = [f"{key} is {_told(now)} now, it was {_told(before)}" for key, (before, now) in self.changed.items()]
        left = [
            f"{key} = {_told(asked)} is not taken while the crawl runs: stop it and start it again"
            for key, asked in self.refused.items()
        ]
        return [*taken, *left] or ["the settings are as they were"]


def taken(old: Settings, new: Settings) -> Taken:
    """Returns what a crawl that runs with `old` takes of `new`."""
    differ = {key: (before, now) for key in FIELDS if (before := _at(old, key)) != (now := _at(new, key))}
    changed = {key: pair for key, pair in differ.items() if key in AT_RUN_TIME}
    settings = old
    for key, (_, now) in changed.items():
        section, _, name = key.partition(".")
        part = structs.replace(getattr(settings, section), **{name: now})
        settings = structs.replace(settings, **{section: part})
    return Taken(settings, changed, {key: now for key, (_, now) in differ.items() if key not in AT_RUN_TIME})


def _at(settings: Settings, key: str) -> Any:
    section, _, name = key.partition(".")
    return getattr(getattr(settings, section), name)


def _told(value: object) -> str:
    return repr(list(value)) if isinstance(value, tuple) else str(value)
