"""What a running crawl takes of other settings, and what it says of the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from skitter.config.fields import FIELDS
from skitter.config.running import AT_RUN_TIME, taken
from skitter.settings import Settings


def settings(**said: dict[str, object]) -> Settings:
    return msgspec.convert(said, Settings)


def test_what_can_be_taken_are_settings() -> None:
    assert FIELDS.keys() >= AT_RUN_TIME


def test_each_key_is_taken_or_refused_by_name() -> None:
    new = settings(
        politeness={"delay": 2.0}, scope={"deny": ["/x"], "reach": "any"}, frontier={"shards": 8, "daily_quota": 5}
    )
    found = taken(Settings(), new)
    assert found.settings == settings(politeness={"delay": 2.0}, scope={"deny": ["/x"]}, frontier={"daily_quota": 5})
    assert set(found.sentences()) == {
        "politeness.delay is 2.0 now, it was 1.0",
        "scope.deny is ['/x'] now, it was []",
        "frontier.daily_quota is 5 now, it was 100000",
        "scope.reach = any is not taken while the crawl runs: stop it and start it again",
        "frontier.shards = 8 is not taken while the crawl runs: stop it and start it again",
    }


def test_nothing_changed_is_said_too() -> None:
    found = taken(Settings(), Settings())
    assert found.settings == Settings()
    assert found.sentences() == ["the settings are as they were"]


@pytest.mark.parametrize("key", sorted(AT_RUN_TIME))
def test_taking_one_setting_changes_no_other(key: str) -> None:
    section, _, name = key.partition(".")
    default = getattr(getattr(Settings(), section), name)
    kinds: dict[type, Callable[[Any], object]] = {
        bool: lambda one: not one,
        int: lambda one: one - 1,
        float: lambda one: one / 2 or 1.0,
        str: lambda one: "uniform" if one == "optimal" else "news",
        tuple: lambda _: ("a",),
    }
    other = kinds[type(default)]
    new = settings(**{section: {name: other(default)}})
    found = taken(Settings(), new)
    assert (found.settings, list(found.changed), found.refused) == (new, [key], {})
