"""One request to a host, as the archive tells of it: what the proof works on. Pure."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from xxhash import xxh3_64_intdigest

from skitter.audit.answer import wish_of
from skitter.audit.exchange import Exchange
from skitter.audit.promise import Promise
from skitter.fetch.head import Head, parse_head
from skitter.messages import Errand
from skitter.settings import DAY
from skitter.store.index.facts import Facts
from skitter.store.warc.dates import MICRO, from_warc_date
from skitter.store.warc.heads import head_length, status_and_mime
from skitter.url.keys import host_of

SLOWING = frozenset({429, 503})
"""The answers that ask us to come less often."""

LONGEST = DAY * MICRO
"""Microseconds. No request takes longer; what says so is not to be trusted."""

Number = TypeVar("Number", int, float)


class Visit(NamedTuple):
    """One request to `host`, or an answer that matters to it. Times are microseconds.

    `began`, `file` and `offset` follow `host`, so that visits in their own order are host by host in order of time.
    """

    host: str
    began: int
    file: int  # its number in the audit
    offset: int  # of the first record that tells of it
    ended: int
    url: str
    errand: str = Errand.PAGE.value  # empty: the archive does not say, as after a crash
    status: int = 0
    failure: str = ""
    wish: float | None = None  # Retry-After of a 429 or 503
    agreed: float | None = None  # the delay that the operator agreed on with the host
    reached: int = True  # a request went out to this host; if not, only the outcome counts
    chain: str = ""  # of a robots.txt: the URLs that redirected here, one a line
    answer_at: int = -1  # of a robots.txt: where its response or revisit record is, -1 if there is none
    refers: int | None = None  # of a robots.txt that is a revisit: the key of the record with the payload

    @property
    def hops(self) -> tuple[str, ...]:
        """The URLs that redirected here."""
        return tuple(self.chain.split("\n")) if self.chain else ()

    @property
    def ruled(self) -> str:
        """The host whose rules this is about: a robots.txt may be found on another host than it is for."""
        return host_of(self.hops[0] if self.hops else self.url)


def visits_of(exchange: Exchange, facts: Facts, file: int, promise: Promise) -> list[Visit]:
    """Returns what an exchange means to its host, and to the one whose robots.txt led there, if that is another.

    ValueError if its times can't be.
    """
    first, answer = exchange.first, exchange.answer
    url = first.fields.get("warc-target-uri", "")
    began = from_warc_date(first.fields["warc-date"])
    ended = began + _possible(facts.micros or 0, LONGEST, "fetchTimeMs")
    errand = (facts.errand or Errand.PAGE) if exchange.metadata is not None else ""
    status = 0 if answer is None else status_and_mime(answer.block[: head_length(answer.block)])[0]
    visit = Visit(
        host_of(url),
        began,
        file,
        first.offset,
        ended,
        url,
        errand,
        status,
        facts.failure,
        _wish(answer.block, ended, promise) if answer is not None and status in SLOWING else None,
        None if facts.agreed is None else _possible(facts.agreed, 366 * DAY, "agreedDelay"),
        exchange.request is not None or answer is not None,
    )
    return _of_robots(visit, exchange, facts) if errand == Errand.ROBOTS else [visit]


def key_of(name: str) -> int:
    """Returns a number of 64 bits, with its sign, that stands for a name in the archive."""
    return xxh3_64_intdigest(name.encode()) - 2**63


def _possible(number: Number, most: float, name: str) -> Number:
    if not 0 <= number <= most:  # false for what is no number, too
        raise ValueError(f"{name} can't be {number}")
    return number


def _of_robots(visit: Visit, exchange: Exchange, facts: Facts) -> list[Visit]:
    visit = visit._replace(chain="\n".join(facts.chain))
    if exchange.answer is not None:
        refers = exchange.answer.fields.get("warc-refers-to")
        visit = visit._replace(
            answer_at=exchange.answer.offset,
            refers=None if refers is None else key_of(refers),
        )
    if visit.ruled == visit.host:
        return [visit]
    return [visit, visit._replace(host=visit.ruled, reached=False)]


def _wish(block: bytes, ended: int, promise: Promise) -> float | None:
    head = parse_head(block[: head_length(block)], promise.fetch.max_headers)
    return wish_of(head.headers, ended / MICRO, promise) if isinstance(head, Head) else None
