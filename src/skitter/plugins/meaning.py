"""What the words of plug-ins come to on the path of a page. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from skitter.judge.verdict import with_reason
from skitter.messages import (
    FOR_PAGES,
    Discovered,
    Fetched,
    Link,
    LinkKind,
    Page,
    Reason,
    Url,
    Verdict,
    header_values,
)
from skitter.parse.links import FOLLOWED
from skitter.parse.outlinks import IsKnown
from skitter.parse.shingles import said_of
from skitter.parse.sketch import sketch_of
from skitter.plugins.calls import Trouble, in_words
from skitter.plugins.steps import HEAVIEST, LIGHTEST, Looked, Weighed
from skitter.ports import Parsed
from skitter.reading.linked import linked_page
from skitter.reading.meaning import Reading, Rules, media_of
from skitter.reading.read import meaning_of
from skitter.reading.seen import Document, SeenPage, SeenUrl

TAG = "plugin"
"""The tag of a link that a plug-in has read out of a document."""


def is_page(fetched: Fetched, reading: Reading) -> bool:
    """Whether an answer is one that plug-ins are shown."""
    is_odd = reading.failure is not None or reading.reason is not None or reading.better is not None or reading.listed
    return not is_odd and 200 <= fetched.status < 300 and fetched.lease.errand in FOR_PAGES


def type_of(fetched: Fetched, reading: Reading) -> str:
    """Returns the media type of an answer; one that says none and was read as HTML is that."""
    values = header_values(fetched.headers, "content-type")
    return media_of(values[0]) if values else "text/html" if reading.said is not None else ""


def document_of(fetched: Fetched, media_type: str) -> Document:
    """Returns an answer as a parser sees it."""
    return Document(fetched.lease.href, media_type, list(fetched.headers), fetched.body)


def page_of(fetched: Fetched, parsed: Parsed, rules: Rules, is_known: IsKnown) -> Page:
    """Returns a document as a page, by what a plug-in has read out of it."""
    page = linked_page(fetched, parsed.links, TAG, rules, is_known)
    said = said_of(parsed.text)
    return structs.replace(
        page, title=parsed.title, lang=parsed.lang, sketch=sketch_of(parsed.title, parsed.text), said=said
    )


def as_parsed(fetched: Fetched, page: Page, parsed: Parsed, rules: Rules) -> Reading:
    """Returns what such a page means."""
    return structs.replace(meaning_of(page, fetched, rules), fields=parsed.fields)


def seen_page(fetched: Fetched, reading: Reading, media_type: str, parsed: str | None = None) -> SeenPage:
    """Returns a page as filters see it."""
    lease = fetched.lease
    return SeenPage(
        lease.href,
        fetched.status,
        list(fetched.headers),
        fetched.body,
        media_type,
        reading.title,
        reading.lang,
        lease.depth,
        lease.parent or "",
        [link.url for link in reading.links],
        [reason.value for reason in reading.verdict.reasons],
        reading.fields,
        parsed,
    )


def seen_urls(found: Sequence[Discovered]) -> list[SeenUrl]:
    """Returns URLs as filters see them."""
    return [SeenUrl(one.href, one.host, one.depth, one.parent or "", one.priority) for one in found]


def with_looked(reading: Reading, looked: Looked) -> Reading:
    """Returns the meaning of a page of which plug-ins say that."""
    reading = structs.replace(reading, fields=looked.fields)
    if not looked.marks:
        return reading
    verdict = _marked(reading.verdict, looked.marks, looked.evidence, follow=looked.follow)
    verdict = structs.replace(verdict, keep=verdict.keep and looked.keep)
    if looked.follow:
        return structs.replace(reading, verdict=verdict)
    mark = looked.marks[-1]
    places = [
        place for place, link in enumerate(reading.links) if link.kind in FOLLOWED and place not in reading.refused
    ]
    return structs.replace(
        reading,
        verdict=verdict,
        found=(),
        known=0,
        vouched=(),
        abroad={},
        refused={**reading.refused, **dict.fromkeys(places, Reason.PLUGIN)},
        marks=dict.fromkeys(places, mark),
    )


def with_weighed(reading: Reading, weighed: Weighed, rules: Rules) -> Reading:
    """Returns the meaning of a page, or list, of whose links plug-ins say that."""
    if weighed.marks:
        verdict = _marked(reading.verdict, weighed.marks, weighed.evidence, follow=True)
        reading = structs.replace(reading, verdict=verdict)
    if not weighed.refused and not weighed.weights:
        return reading
    found, refused = list[Discovered](), dict[str, str]()
    for place, one in enumerate(reading.found):
        if place in weighed.refused:
            refused[one.href] = weighed.refused[place]
        elif place in weighed.weights:
            priority = min(HEAVIEST, max(LIGHTEST, one.priority * weighed.weights[place]))
            found.append(structs.replace(one, priority=priority))
        else:
            found.append(one)
    reading = structs.replace(reading, found=found)
    return _with_refused(reading, refused, rules) if refused else reading


def with_trouble(reading: Reading, label: str, trouble: Trouble) -> Reading:
    """Returns the meaning of a document that a plug-in could not read."""
    verdict = _marked(reading.verdict, [f"{label}:{trouble.fault}"], [f"{label} {in_words(trouble)}"], follow=True)
    return structs.replace(reading, verdict=verdict)


def _marked(verdict: Verdict, marks: Sequence[str], evidence: Sequence[str], *, follow: bool) -> Verdict:
    told = "; ".join([*([before] if (before := verdict.evidence.get(Reason.PLUGIN)) else []), *evidence])[:1000]
    if Reason.PLUGIN in verdict.reasons:
        both = {**verdict.evidence, Reason.PLUGIN: told}
        return structs.replace(verdict, follow=verdict.follow and follow, evidence=both, marks=[*verdict.marks, *marks])
    return structs.replace(with_reason(verdict, Reason.PLUGIN, told, follow=follow), marks=[*verdict.marks, *marks])


def _with_refused(reading: Reading, refused: dict[str, str], rules: Rules) -> Reading:
    """Returns the meaning with links that are refused: each where it is among the links, else added to them."""
    links, marks = list(reading.links), dict[int, str]()
    left = dict(refused)
    for place, link in enumerate(links):
        if place in reading.refused:
            continue
        url = rules.canon.of_parsed(link.url)
        if isinstance(url, Url) and url.href in refused:
            marks[place] = refused[url.href]
            left.pop(url.href, None)
    for href, mark in left.items():
        marks[len(links)] = mark
        links.append(Link(href, TAG, LinkKind.LISTED, False, ""))
    return structs.replace(
        reading,
        links=links if left else reading.links,
        refused={**reading.refused, **dict.fromkeys(marks, Reason.PLUGIN)},
        marks={**reading.marks, **marks},
    )
