"""One capture, read again: what was fetched is as it was, what it says is what today's parser finds. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from skitter.fetch.answer import AnswerReader
from skitter.fetch.decode import decode
from skitter.messages import Errand, Failure, Fetched, Kind, Lease, Reason
from skitter.parse.outlinks import nothing_known
from skitter.ports import Capture
from skitter.reading.linked import is_unread_pdf, with_links
from skitter.reading.meaning import Reading, Rules, with_marks
from skitter.reading.read import read
from skitter.settings import FetchSettings
from skitter.store.index.facts import DROPPED, Facts, facts_of, reasons_of
from skitter.url.keys import host_of

if TYPE_CHECKING:  # few crawls have any
    from skitter.content.pdf.desk import PdfDesk
    from skitter.plugins.chain import Plugins

READ = frozenset({Errand.PAGE, Errand.SITEMAP, Errand.FEED})
PARSED = frozenset({Reason.NOINDEX, Reason.NOFOLLOW})
"""Reasons that reading finds. All others are what was thought of the page beside others of its site, at that time."""

# What is in the archive was within the limits when it was fetched, whatever they were then.
_NO_LIMITS = FetchSettings(max_head=2**40, max_headers=2**40, max_body=2**40)
_NO_RATIO = 2**40
_KINDS = frozenset(kind.value for kind in Kind)


def read_again(
    url: str, answer: bytes, told: Facts, rules: Rules, plugins: Plugins | None = None, papers: PdfDesk | None = None
) -> Facts:
    """Returns the facts of a capture whose answer was `answer`, head and payload; `told` is what was found at first.

    What is no page, sitemap or feed is not read, and neither is what can't be. Plug-ins are asked as for a new page,
    and `papers` for the links of PDFs.
    """
    fetched = _fetched(url, answer, told) if told.errand in READ else None
    if fetched is None:
        return told
    reading, text = read(fetched, rules), None
    if plugins is not None:
        reading, text, _ = plugins.now(plugins.parsing(fetched, reading, rules, nothing_known))
    if papers is not None and is_unread_pdf(fetched, reading):
        reading = with_links(fetched, reading, papers.links(fetched.body).links, rules, nothing_known)
    if plugins is not None:
        reading = plugins.now(plugins.judging(fetched, reading, rules, text))
    said = reading.said
    capture = Capture(
        fetched,
        links=reading.links,
        refused=_refused(reading, told),
        title=reading.title,
        lang=reading.lang,
        encoding=reading.encoding,
        simhash=said.simhash if said is not None and said.words else None,
        fields=reading.fields,
    )
    found = facts_of(capture, told.content_digest)
    return structs.replace(
        told,
        verdict=_verdict(reading, told),
        reasons=_reasons(reading, told),
        simhash=found.simhash,
        encoding=found.encoding,
        lang=found.lang,
        title=found.title,
        links=found.links,
        refused=found.refused,
        fields=found.fields,
    )


def _fetched(url: str, answer: bytes, told: Facts) -> Fetched | None:
    reader = AnswerReader(_NO_LIMITS)
    reader.feed(answer)
    if reader.head is None or (told.failure and told.failure not in _KINDS):
        return None
    payload = reader.payload()
    length = told.content_length or 0
    lease = Lease(
        url,
        told.host or host_of(url),
        Errand(told.errand),
        0.0,
        depth=told.depth or 0,
        tries=told.tries,
        chain=tuple(told.chain),
        parent=told.parent or None,
    )
    return Fetched(
        lease,
        0.0,
        0.0,
        response_head=reader.raw_head,
        payload=payload,
        status=reader.head.status,
        headers=list(reader.head.headers),
        body=decode(reader.content(payload), reader.head.codings, length, _NO_RATIO).body if length else b"",
        failure=Failure(Kind(told.failure), told.failure_detail) if told.failure else None,
    )


def _reasons(reading: Reading, told: Facts) -> Sequence[str]:
    found = reasons_of(reading.verdict)
    return [*found, *(reason for reason in told.reasons if not _is_found_anew(reason) and reason not in found)]


def _is_found_anew(reason: str) -> bool:
    return reason in PARSED or reason.startswith(f"{Reason.PLUGIN}:")


def _verdict(reading: Reading, told: Facts) -> str:
    if not reading.verdict.keep:
        return DROPPED
    return "follow" if reading.verdict.follow and not _is_judged_away(told) else "nofollow"


def _is_judged_away(told: Facts) -> bool:
    """Whether the page's links were not followed for what was thought of it, not for what it asks.

    If a plug-in had a say, it was that, unless there was no such page: then plug-ins are asked again, and decide.
    """
    if Reason.SOFT_404 in told.reasons:
        return True
    has_plugins = any(reason.startswith(f"{Reason.PLUGIN}:") for reason in told.reasons)
    return told.verdict == "nofollow" and Reason.NOFOLLOW not in told.reasons and not has_plugins


def _refused(reading: Reading, told: Facts) -> dict[int, str]:
    """Returns why links are not followed: what reading says, and what the frontier said of the same links then."""
    before = {told.links[place][0]: reason for place, reason in told.refused.items() if reason == Reason.TRAP}
    kept: dict[int, str] = {place: Reason.TRAP for place, link in enumerate(reading.links) if link.url in before}
    return kept | with_marks(reading)
