"""What a button sends, read as an act of the console. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from skitter.api.problems import converted
from skitter.console.acts import (
    Act,
    AllowDomain,
    BlockDomain,
    PauseHost,
    RateHost,
    RecrawlPages,
    ResumeHost,
    RetryDead,
)

ACTS: Mapping[str, type[Act]] = {
    "pause": PauseHost,
    "resume": ResumeHost,
    "rate": RateHost,
    "block": BlockDomain,
    "allow": AllowDomain,
    "recrawl": RecrawlPages,
    "retry": RetryDead,
}
"""By the last step of the way that a button is sent to."""

OURS = ("back", "sure")
"""What forms have for themselves."""


def act_of(name: str, form: Mapping[str, str]) -> Act:
    """Returns what is wanted. Problem names the field that is wrong."""
    kind = ACTS[name]
    known = {field.name for field in msgspec.structs.fields(kind)}
    given = {key: value for key, value in form.items() if key not in OURS and (value or key not in known)}
    if kind is RateHost and "seconds" not in given:
        given["seconds"] = "null"  # an empty field: as every other host
    return converted(given, kind)
