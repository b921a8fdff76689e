"""What can be told from the head of an HTTP answer as it is stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from skitter.kernel import IS_NATIVE

if IS_NATIVE:
    from skitter import _native

HeadFacts: TypeAlias = tuple[bool, int, str]
"""What `has_plain_end` and `status_and_mime` say of a head."""


def head_length(block: bytes) -> int | None:
    """Returns where readers of WARC files see the head of an answer end: after its first blank line. None: nowhere."""
    blank = _BLANK_LINE.search(block)
    return blank.end() if blank else None


def has_plain_end(head: bytes) -> bool:
    """Whether every reader finds the end of `head` where it is: its first blank line is its last, and the usual one."""
    return head.endswith(b"\r\n\r\n") and head_length(head) == len(head) and not head[:1].isspace()


def status_and_mime(head: bytes) -> tuple[int, str]:
    """Returns the status and the media type (lower case, no parameters) that a head says; 0 and '' if it does not."""
    status = _STATUS.match(head)
    mime = _MIME.search(head)
    return int(status[1]) if status else 0, mime[1].decode("latin-1").lower() if mime else ""


def by_python(head: bytes) -> HeadFacts:
    """Returns what can be told from a head."""
    return has_plain_end(head), *status_and_mime(head)


reading_of: Callable[[bytes], HeadFacts] = _native.head_reading if IS_NATIVE else by_python


# Readers written in Python take a line for blank that str.rstrip() empties: one of separators (1C to 1F) or of spaces
# beyond ASCII. A line of nothing but bytes beyond ASCII is suspect enough to be counted as one.
_BLANK_LINE = re.compile(rb"\n[ \t\r\f\v\x1c-\x1f\x80-\xff]*\n")
_STATUS = re.compile(rb"\s*\S+[ \t]+([0-9]{3})(?![0-9])")
_MIME = re.compile(rb"\ncontent-type[ \t]*:[ \t]*([!-:<-~]+)", re.IGNORECASE)
