"""What is handed to the archive: one fetch and what was made of it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from skitter.messages import Fetched, Link, Verdict


class Earlier(Struct, frozen=True):
    """The capture that a later one repeats: where it was, when its request began, and how its records know it."""

    url: str
    at: float
    payload_digest: str = ""  # as WARC-Payload-Digest says it
    record: str = ""  # as WARC-Record-ID says it
    file: str = ""  # the WARC file that holds its payload, and where in it the record begins
    offset: int = 0


class Capture(Struct, frozen=True):
    """One fetch, answered or not, with what the page says and what we think of it."""

    fetched: Fetched
    verdict: Verdict = Verdict()
    links: Sequence[Link] = ()
    title: str = ""
    lang: str = ""
    encoding: str = ""  # the character encoding the page was read with
    robots: str = ""  # the robots.txt line that decided, if one did
    earlier: Earlier | None = None  # what a 304 (Not Modified) says is still the same
