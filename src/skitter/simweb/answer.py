"""From a description and a request to the answer: status, headers, body, and how it is given."""

from __future__ import annotations

from email.utils import formatdate
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from skitter.simweb.draw import draws
from skitter.simweb.render import Writer, body_of, media_of, pack
from skitter.simweb.spec import ALWAYS, RESET, Spec, What

BEGINNING = 1_767_225_600.0
"""The first of January 2026: when the pages were first written."""
CHANGE_STEPS = (1, 10, 100)
"""A page changes every so many times `WorldSettings.change`."""


class Ask(NamedTuple):
    """A request: what was asked of which host, when, and how often before."""

    host: str  # as in the Host header, without the port
    path: str  # with the query
    now: float = BEGINNING
    asks: int = 0
    etag: str = ""  # If-None-Match
    modified: str = ""  # If-Modified-Since
    origin: str = ""  # scheme, host and port as asked for


class Edition(NamedTuple):
    """How often a page has changed, and when it last did."""

    changes: int
    since: float


class Ending(StrEnum):
    """What happens to the connection."""

    KEEP = "keep"
    RESET = "reset"  # instead of an answer


class Answer(Struct, frozen=True):
    """What is sent back."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    times: int = 1  # the body is sent so many times over, as fast as it is taken; unless it is chunked
    delay: float = 0.0
    chunked: bool = False
    ending: Ending = Ending.KEEP
    animal: str = ""


def answer_of(spec: Spec, ask: Ask, writer: Writer, change: float = 0.0) -> Answer:
    """Returns the answer to `ask` at the URL that is `spec`."""
    if spec.animal:
        return Answer(status=0, animal=spec.animal)
    if spec.failing and (spec.failures == ALWAYS or ask.asks < spec.failures):
        return _failure(spec)
    if spec.what is What.REDIRECT:
        return _short(spec.status, ("Location", spec.location))
    if spec.what is What.ERROR:
        return _short(spec.status)
    return _good(spec, ask, writer, edition(spec, ask.now, change))


def edition(spec: Spec, now: float, change: float) -> Edition:
    """Returns the edition of the page that is served at `now`."""
    if not change or not spec.seed:
        return Edition(0, BEGINNING)
    period = change * CHANGE_STEPS[draws(1, "change", spec.seed)[0] % len(CHANGE_STEPS)]
    changes = int(max(0.0, now - BEGINNING) / period)
    return Edition(changes, BEGINNING + changes * period)


def _failure(spec: Spec) -> Answer:
    if spec.failing == RESET:
        return Answer(status=0, ending=Ending.RESET)
    wait = (("Retry-After", str(spec.retry_after)),) if spec.retry_after else ()
    return _short(spec.failing, *wait)


def _short(status: int, *headers: tuple[str, str]) -> Answer:
    body = f"<!DOCTYPE html><html><head><title>{status}</title></head><body>{status}</body></html>\n".encode()
    return Answer(status, (("Content-Type", "text/html"), *headers), body)


def _good(spec: Spec, ask: Ask, writer: Writer, current: Edition) -> Answer:
    headers = [("Content-Type", media_of(spec))]
    if spec.validators:
        etag, modified = _validators(spec, current)
        headers += [("ETag", etag), ("Last-Modified", modified)]
        # RFC 9110 13.1.3: If-Modified-Since is ignored where there is an If-None-Match.
        if ask.etag == etag or (not ask.etag and ask.modified == modified):
            return Answer(304, tuple(headers), delay=spec.delay)
    body = body_of(spec, writer, current.changes)
    if spec.packed:
        headers.append(("Content-Encoding", "gzip"))
        body = pack(body)
    return Answer(spec.status, tuple(headers), body, delay=spec.delay, chunked=spec.chunked)


def _validators(spec: Spec, current: Edition) -> tuple[str, str]:
    mark = draws(1, "etag", spec.seed, current.changes)[0]
    return f'"{mark:08x}"', formatdate(current.since, usegmt=True)
