"""What a host said, in the form in which pages are held against what it says when there is nothing. Pure."""

from __future__ import annotations

import re

from msgspec import structs

from skitter.judge.absence import Answer
from skitter.judge.likeness import is_short, saying_of
from skitter.judge.verdict import verdict_of, with_reason
from skitter.kernel import IS_NATIVE
from skitter.messages import FOR_PAGES, Directives, Errand, Fetched, Reason, Url
from skitter.parse.links import FOLLOWED
from skitter.reading.meaning import Reading, Rules
from skitter.reading.read import REDIRECTS, is_html, location_of, read

if IS_NATIVE:
    from skitter import _native

HONEST = frozenset({400, 401, 403, 404, 405, 406, 410, 422, 451})
"""The statuses that say that there is nothing, or nothing for us."""

_PASSWORD = re.compile(rb"""type\s*=\s*["']?password""", re.IGNORECASE)


def answer_of(fetched: Fetched, reading: Reading, rules: Rules) -> Answer | None:
    """Returns what was said where a page was asked for; None if there is nothing to doubt about it."""
    is_odd = reading.failure is not None or reading.reason is not None or reading.better is not None
    if is_odd or reading.need or fetched.lease.errand not in FOR_PAGES:
        return None
    if fetched.status in REDIRECTS:
        target = _target(fetched, rules)
        return Answer(fetched.lease.href, fetched.status, target) if target else None
    return _page(fetched, reading) if fetched.status == 200 and reading.said is not None else None


def answer_for_nothing(fetched: Fetched, rules: Rules) -> Answer:
    """Returns what was said where there is nothing; with status 0 if that tells nothing."""
    href, status = fetched.lease.href, fetched.status
    if fetched.failure is not None:
        return Answer(href, 0)
    if status in REDIRECTS:
        target = _target(fetched, rules)
        return Answer(href, status if target else 0, target)
    if status != 200 or not is_html(fetched):
        return Answer(href, status if status in HONEST else 0)
    as_page = structs.replace(fetched, lease=structs.replace(fetched.lease, errand=Errand.PROBE))
    return _page(as_page, read(as_page, rules))


def absent(reading: Reading, evidence: str) -> Reading:
    """Returns what was read as what it is: no page. That others say the same is no news, and its links are none."""
    asked = Directives(Reason.NOINDEX in reading.verdict.reasons, Reason.NOFOLLOW in reading.verdict.reasons)
    verdict = with_reason(verdict_of(asked), Reason.SOFT_404, evidence, follow=False)
    refused = {place: Reason.SOFT_404 for place, link in enumerate(reading.links) if link.kind in FOLLOWED}
    every = {**refused, **reading.refused}
    return structs.replace(reading, verdict=verdict, found=(), vouched=(), known=0, refused=every)


def _page(fetched: Fetched, reading: Reading) -> Answer:
    if reading.said is None:
        return Answer(fetched.lease.href, 0)
    links = bool(reading.links) or bool(reading.known)
    saying = saying_of(reading.title, reading.said, reading.sketch, links=links)
    has_password = is_short(saying) and _asks_for_password(fetched.body)
    twin = reading.verdict.duplicate_of
    return Answer(fetched.lease.href, fetched.status, "", saying, twin, has_password, reading.said)


def has_word_by_python(text: bytes, word: bytes) -> bool:
    """Whether `word`, in small letters, is anywhere in `text`, in letters of any size."""
    return word in text.lower()


_has_word = _native.has_word if IS_NATIVE else has_word_by_python


def _asks_for_password(body: bytes) -> bool:
    # A search for one word takes a tenth of the time of a pattern, and nearly no page has it.
    return _has_word(body, b"password") and _PASSWORD.search(body) is not None


def _target(fetched: Fetched, rules: Rules) -> str:
    location = location_of(fetched)
    url = rules.canon.of_parsed(location) if location is not None else None
    return url.href if isinstance(url, Url) else ""
