"""The settings under which a file was written, out of its warcinfo record: what was promised to the hosts."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from skitter.settings import FetchSettings, IdentitySettings, PolitenessSettings, RobotsSettings, Section

NOT_YET = {"load_factor": 0.0}
"""What is not promised by settings of a version that did not know it."""
Known = TypeVar("Known", bound=Section)


class Promise(Struct, frozen=True):
    """The settings that a proof depends on."""

    identity: IdentitySettings = IdentitySettings()
    robots: RobotsSettings = RobotsSettings()
    politeness: PolitenessSettings = PolitenessSettings()
    fetch: FetchSettings = FetchSettings()


def promise_of(warcinfo: bytes) -> Promise | None:
    """Returns the settings that the block of a warcinfo record says, None if it does not say them."""
    for line in warcinfo.split(b"\r\n"):
        name, _, value = line.partition(b": ")
        if name == b"configuration":
            return _read(value)
    return None


def _read(configuration: bytes) -> Promise | None:
    try:
        said = msgspec.json.decode(configuration, type=dict[str, dict[str, Any]])
        return Promise(
            _section(said["identity"], IdentitySettings),
            _section(said["robots"], RobotsSettings),
            _section({**NOT_YET, **said["politeness"]}, PolitenessSettings),
            _section(said["fetch"], FetchSettings),
        )
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError):
        return None


def _section(said: dict[str, Any], kind: type[Known]) -> Known:
    # An archive outlives the version that wrote it: keys that are not known any more say nothing that matters here.
    return msgspec.convert({name: said[name] for name in kind.__struct_fields__ if name in said}, kind)
