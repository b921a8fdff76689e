"""The answer to a robots.txt as it was fetched, made again from its records. Pure."""

from __future__ import annotations

from skitter.audit.promise import Promise
from skitter.fetch.answer import AnswerReader
from skitter.fetch.decode import decode
from skitter.messages import Errand, Failure, Fetched, Headers, Kind, Lease, header_values
from skitter.politeness import retry_after
from skitter.politeness.backoff import RETRY, kind_of_status
from skitter.robots.answer import fetch_limits
from skitter.store.warc.heads import head_length

KINDS = frozenset(kind.value for kind in Kind)


def fetched_again(
    url: str, ended: float, block: bytes | None, promise: Promise, *, truncated: str | None = None, failure: str = ""
) -> Fetched:
    """Returns what the request brought back. `block` is head and payload as received, None if nothing came."""
    headers: Headers = ()
    body = b""
    status = 0
    if block is not None:
        limits = fetch_limits(promise.fetch, promise.robots)
        answer = AnswerReader(limits)
        answer.feed(block)
        if answer.head is not None:
            status, headers = answer.head.status, answer.head.headers
            packed = answer.content(answer.payload())
            body = decode(packed, answer.head.codings, limits.max_body, limits.max_ratio).body
    return Fetched(
        Lease(url, "", Errand.ROBOTS, 0.0),
        ended,
        ended,
        status=status,
        headers=headers,
        body=body,
        truncated=truncated,
        failure=_failure(failure, status, headers, ended, promise),
    )


def wish_of(headers: Headers, ended: float, promise: Promise) -> float | None:
    """Returns the wait that an answer asks for by Retry-After, within the limit that the operator set."""
    wishes = header_values(headers, "retry-after")
    return retry_after.parse(wishes[0], ended, promise.politeness.max_retry_after) if wishes else None


def payload_of(block: bytes) -> bytes:
    """Returns what follows the head in the block of a response record."""
    return block[head_length(block) or len(block) :]


def _failure(said: str, status: int, headers: Headers, ended: float, promise: Promise) -> Failure | None:
    kind = kind_of_status(status)
    if said and (kind is None or not RETRY[kind].slows):  # as in `reading.read.failure_of`
        return Failure(Kind(said) if said in KINDS else Kind.OUR_BUG)
    return None if kind is None else Failure(kind, retry_after=wish_of(headers, ended, promise))
