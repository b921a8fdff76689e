"""An answer out of the archive: its headers, and its body with every encoding undone. Pure."""

from __future__ import annotations

from msgspec import Struct

from skitter.fetch.answer import AnswerReader
from skitter.fetch.decode import decode
from skitter.messages import Headers
from skitter.settings import FetchSettings

# What is in the archive was within the limits when it was fetched, whatever they were then.
_NO_LIMITS = FetchSettings(max_head=2**40, max_headers=2**40, max_body=2**40)
MAX_BODY = 1024**3
_NO_RATIO = 2**40


class Answer(Struct, frozen=True):
    """What a server sent."""

    status: int
    headers: Headers = ()
    body: bytes = b""


def answer_in(block: bytes, length: int | None = None) -> Answer | None:
    """Returns the answer that a response record holds, whose body has `length` bytes if that is known; None: none."""
    reader = AnswerReader(_NO_LIMITS)
    reader.feed(block)
    if reader.head is None:
        return None
    content = reader.content(reader.payload())
    body = decode(content, reader.head.codings, MAX_BODY if length is None else length, _NO_RATIO).body
    return Answer(reader.head.status, reader.head.headers, body)
