"""What a document says to a crawler, before any judgement, in pure Python.

This is what the native scanner has to find too, field by field; `scanner` has whichever is at hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from skitter.parse import attributes, text
from skitter.parse.attributes import Attributes, value
from skitter.parse.main_text import main_text
from skitter.parse.regions import regions
from skitter.parse.scanned import Found, Scanned
from skitter.parse.shingles import MAX_SAID, brief_of, hashes
from skitter.parse.sketch import sketch_of
from skitter.parse.tokens import Mark, Markup, cut

MAX_LINKS = 100_000
"""Distinct links found of a page, at the most: a page that is nothing but links must not hold us up for seconds."""

# Markup for those who run no scripts and show no frames, as we do. It is read by itself, and its links come last.
INSTEAD = (b"noscript", b"noframes")
# What says something about the whole page. In markup for others it is for them alone: often "this site needs
# JavaScript", and a refresh to say so.
ABOUT = frozenset({b"html", b"base", b"meta", b"title", *INSTEAD})

# Which attributes of an element hold the URL of something shown in the page, and which hold several of them.
EMBEDS = {
    b"img": ((b"src", b"data-src", b"data-original"), (b"srcset", b"data-srcset")),
    b"script": ((b"src",), ()),
    b"audio": ((b"src",), ()),
    b"video": ((b"src", b"poster"), ()),
    b"source": ((b"src", b"data-src"), (b"srcset", b"data-srcset")),
    b"track": ((b"src",), ()),
    b"embed": ((b"src",), ()),
    b"object": ((b"data",), ()),
    b"input": ((b"src",), ()),
}

_SPACE = b"\t\n\f\r "
_CANDIDATE = re.compile(r"[\t\n\f\r ,]*+([^\t\n\f\r ]++)")
_DESCRIPTORS = re.compile(r"(?:[^(,]|\([^)]*+\)?)*+")


def scan(html: bytes, max_text: int, max_anchor: int, max_title: int) -> Scanned:
    """Returns what a document in UTF-8 says, with so many characters of its text, an anchor and the title."""
    markup = cut(html)
    about = [mark for mark in markup.marks if mark[0] in ABOUT]
    metas = [(value(one, b"name"), value(one, b"http-equiv"), value(one, b"content")) for one in _all(about, b"meta")]
    root = next(_all(about, b"html"), {})
    title = text.short(next((mark[2] for mark in about if mark[0] == b"title"), None), max_title)
    written = main_text(b"".join(markup.text), regions(markup))
    main, telling = (text.visible([part], MAX_SAID) for part in written)
    return Scanned(
        base=next((value(base, b"href") for base in _all(about, b"base") if b"href" in base), None),
        lang=value(root, b"lang") or value(root, b"xml:lang"),
        title=title,
        metas=[meta for meta in metas if meta[0] or meta[1]],
        links=islice(_links(_documents(markup, about), max_anchor), MAX_LINKS),
        text=text.visible(markup.text, max_text),
        sketch=sketch_of(title, telling),
        said=hashes(main.encode()),
        brief=brief_of(main),
    )


def _all(marks: Iterable[Mark], tag: bytes) -> Iterator[Attributes]:
    """Yields the attributes of every tag of this name."""
    return (attributes.read(mark[1]) for mark in marks if mark[0] == tag)


def _documents(markup: Markup, about: Iterable[Mark]) -> Iterator[Markup]:
    """Yields a document, then the markup in it that is for others."""
    yield markup
    instead = cut(b"".join([(mark[2] or b"") + b"\n" for mark in about if mark[0] in INSTEAD]))
    yield Markup(instead.text, [mark for mark in instead.marks if mark[0] not in ABOUT])


def _links(documents: Iterable[Markup], max_anchor: int) -> Iterator[Found]:
    """Yields every distinct link where it first appears."""
    seen: set[tuple[bytes, str, str]] = set()
    for markup in documents:
        for number, (tag, written, _, _) in enumerate(markup.marks):
            reader = READERS.get(tag)
            if reader is None:
                continue
            rel = attributes.rel_of_link(written) if tag == b"link" else attributes.rel(written)
            for href in reader(tag, written):
                if (tag, href, rel) not in seen:
                    seen.add((tag, href, rel))
                    yield _NAMES[tag], href, rel, text.anchor(markup, number, max_anchor)


def _navigation(_: bytes, written: bytes) -> Iterable[str]:
    href = attributes.href(written)
    return () if href is None else (_without_fragment(attributes.unescape_value(href)),)


def _link(_: bytes, written: bytes) -> Iterable[str]:
    return _hrefs(attributes.read(written), b"href")


def _frame(_: bytes, written: bytes) -> Iterable[str]:
    return _hrefs(attributes.read(written), b"src")


def _form(_: bytes, written: bytes) -> Iterable[str]:
    """Returns where a form leads that GETs; what others do is no link."""
    found = attributes.read(written)
    return _hrefs(found, b"action") if value(found, b"method").lower() not in ("post", "dialog") else ()


def _meta(_: bytes, written: bytes) -> Iterable[str]:
    found = attributes.read(written)
    return (value(found, b"content"),) if value(found, b"http-equiv").lower() == "refresh" else ()


def _embed(tag: bytes, written: bytes) -> Iterable[str]:
    single, several = EMBEDS[tag]
    found = attributes.read(written)
    urls = [_without_fragment(url) for name in several for url in candidates(value(found, name))]
    return [*_hrefs(found, *single), *urls]


def candidates(srcset: str) -> Iterator[str]:
    """Yields the URLs of a srcset, as the HTML standard parses it."""
    at = 0
    while candidate := _CANDIDATE.match(srcset, at):
        url, at = candidate[1], candidate.end()
        if not url.endswith(","):
            descriptors = _DESCRIPTORS.match(srcset, at)
            at = descriptors.end() if descriptors else at
        if url := url.rstrip(","):
            yield url


def _hrefs(found: Attributes, *names: bytes) -> list[str]:
    """Returns each href that is not empty; only `a` and `area` mean the page itself by an empty one."""
    return [_without_fragment(value(found, name)) for name in names if found.get(name, b"").strip(_SPACE)]


def _without_fragment(href: str) -> str:
    return href.partition("#")[0] if "#" in href else href


READERS: dict[bytes, Callable[[bytes, bytes], Iterable[str]]] = {
    b"a": _navigation,
    b"area": _navigation,
    b"link": _link,
    b"iframe": _frame,
    b"frame": _frame,
    b"form": _form,
    b"meta": _meta,
} | dict.fromkeys(EMBEDS, _embed)
_NAMES = {tag: tag.decode() for tag in READERS}
