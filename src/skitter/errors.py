"""One root error, split by whose fault it was.

What goes wrong on the web is not here: it is expected, so it is a value (`messages.Failure`, `messages.Reason`).
A bug is an `AssertionError` or whatever Python raises: it is never caught.
"""

from __future__ import annotations

import re
from typing import ClassVar, Literal

# Control signs but for the line break, lone surrogates, line separators, and what turns the direction of writing.
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_PASSWORD = re.compile(r"((?:https?:|[/\\]{2})[/\\]*[^/?#@:\\]*:).*@", re.IGNORECASE)


def harmless(text: str) -> str:
    """Returns `text` fit to be shown: what would steer a terminal is written as its escape, as JSON and TOML do."""
    return _STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def masked(text: str) -> str:
    """Returns `text` without the password of a URL in it."""
    return _PASSWORD.sub(r"\1***@", text)


class SkitterError(Exception):
    """The root: whatever Skitter raises on purpose is one of these. What it says can be shown as it is."""

    exit_code: ClassVar[int] = 1

    def __init__(self, text: str = "") -> None:
        super().__init__(harmless(text))


class OperatorError(SkitterError):
    """Whoever started us wrote something that can't be used: says the key, the value and what would be right."""

    exit_code = 2

    def __init__(self, key: str, value: object, right: str) -> None:
        super().__init__(f"{key} = {_shown(value)}: {right}")
        self.key = key
        self.value = value
        self.right = right


class MachineError(SkitterError):
    """The disk, the bus or the memory gave way: says what was tried, on what, and how to go on."""

    exit_code = 4

    def __init__(self, what: str, where: str, remedy: str) -> None:
        super().__init__(f"{what}: {where}. {remedy}")
        self.what = what
        self.where = where
        self.remedy = remedy


class BlobsError(MachineError):
    """A store of blobs did not do what was asked: `kind` says whether it refused us, is not there, or is away."""

    def __init__(self, kind: Literal["denied", "missing", "away"], what: str, where: str, remedy: str) -> None:
        super().__init__(what, where, remedy)
        self.kind = kind


class SinkError(MachineError):
    """A sink did not take its rows. `away`: it may by and by; `refused`: not before somebody does something."""

    def __init__(self, kind: Literal["away", "refused"], what: str, where: str, remedy: str) -> None:
        super().__init__(what, where, remedy)
        self.kind = kind


def first_of(group: BaseExceptionGroup[SkitterError]) -> SkitterError:
    """Returns the first error of a group, however deep it is in it: what is to be told of them."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, SkitterError)
    return error


def _shown(value: object) -> str:
    try:
        text = masked(repr(value))
    except ValueError:  # Python does not write numbers of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:77]}..."
