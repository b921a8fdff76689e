"""One root error, split by whose fault it was.

What goes wrong on the web is not here: it is expected, so it is a value (`messages.Failure`, `messages.Reason`).
A bug is an `AssertionError` or whatever Python raises: it is never caught.
"""

from __future__ import annotations

from typing import ClassVar


class SkitterError(Exception):
    """The root: whatever Skitter raises on purpose is one of these."""

    exit_code: ClassVar[int] = 1


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


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
