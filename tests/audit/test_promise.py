"""The settings that a warcinfo record tells."""

from __future__ import annotations

import msgspec
import pytest

from skitter.audit.promise import Promise, promise_of
from skitter.settings import PolitenessSettings, RobotsSettings, Settings

SETTINGS = Settings(politeness=PolitenessSettings(delay=7), robots=RobotsSettings(max_crawl_delay=60))


def warcinfo(settings: object) -> bytes:
    return b"software: Skitter\r\nconfiguration: " + msgspec.json.encode(settings) + b"\r\nformat: WARC\r\n"


def test_settings_come_back_as_they_were() -> None:
    promise = Promise(SETTINGS.identity, SETTINGS.robots, SETTINGS.politeness, SETTINGS.fetch)
    assert promise_of(warcinfo(SETTINGS)) == promise
    assert promise.politeness.delay == 7


def test_keys_that_come_and_go_between_versions_do_not_matter() -> None:
    said = msgspec.to_builtins(SETTINGS)
    said["politeness"]["mood"] = "good"
    del said["politeness"]["max_tries"], said["frontier"]
    assert promise_of(warcinfo(said)) == promise_of(warcinfo(SETTINGS))


def test_what_a_version_did_not_know_it_did_not_promise() -> None:
    said = msgspec.to_builtins(SETTINGS)
    del said["politeness"]["load_factor"]
    promise = promise_of(warcinfo(said))
    assert promise is not None
    assert promise.politeness.load_factor == 0


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"software: Skitter\r\n",
        b"configuration: [politeness] delay = 1.0",
        b"configuration: {}",
        b"configuration: \xff",
        warcinfo({**msgspec.to_builtins(SETTINGS), "politeness": {"delay": "soon"}}),
        warcinfo({**msgspec.to_builtins(SETTINGS), "politeness": {"delay": -1}}),
    ],
    ids=["nothing", "no line", "no JSON", "empty", "no text", "a wrong type", "out of range"],
)
def test_what_does_not_tell_the_settings_is_none(block: bytes) -> None:
    assert promise_of(block) is None
