"""A line of JSON as a question, and what is answered to one that can't be used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

Output: TypeAlias = dict[str, object]


class BadLine(ValueError):  # noqa: N818 (it is answered, not raised at anyone)
    """A line that the tool can't use."""


class Refused(Struct, frozen=True):
    """The answer to a line that can't be used."""

    answer: Output


def read_line(line: bytes) -> dict[str, object] | Refused:
    """Returns the JSON object of a line, or what to answer if there is none."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError) as error:
        return refused(None, BadLine(f"not a line of JSON: {error}"))
    return read if isinstance(read, dict) else refused(None, BadLine("a line must be one JSON object"))


def refused(identity: object, error: Exception) -> Refused:
    """Returns the answer that says why a line can't be used."""
    return Refused({"id": identity, "error": str(error)})


def question(line: Mapping[str, object], kind: Any) -> Any:
    """Returns what is asked, or raises BadLine."""
    try:
        return msgspec.convert(line, kind)
    except msgspec.ValidationError as error:
        raise BadLine(str(error)) from None
