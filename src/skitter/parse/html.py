"""Bytes of any kind in, a Page out. What is broken is read as browsers read it; nothing raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from skitter.messages import Directives, Headers, Page, Refresh, Said, header_values
from skitter.parse import charset, link_header, outlinks, refresh, scanner
from skitter.parse.outlinks import IsKnown, nothing_known
from skitter.parse.resolve import HTTP, Resolver
from skitter.parse.scanned import Meta, Scanned
from skitter.parse.scanner import Scanner
from skitter.robots import directives
from skitter.settings import ParseSettings
from skitter.url.canon import Canon
from skitter.url.keys import host_of
from skitter.url.parse import parse

MAX_TITLE = 1000
MAX_DESCRIPTION = 4000


def read(
    body: bytes,
    url: str,
    headers: Headers,
    settings: ParseSettings,
    token: str,
    scan: Scanner = scanner.scan,
    canon: Canon | None = None,
    is_known: IsKnown = nothing_known,
    *,
    has_text: bool = True,
) -> Page:
    """Returns what a document says. `url` is where it was found, `token` the name that robots directives know us by.

    With `canon`, the page tells where its links lead too, as far as that is not known. Its text is long: who does not
    want it says so.
    """
    content_type = next(iter(header_values(headers, "content-type")), None)
    html, encoding = charset.to_utf8(body[: settings.max_html], content_type)
    scanned = scan(html, settings.max_text if has_text else 0, settings.max_anchor, MAX_TITLE)
    metas = scanned.metas
    resolve = Resolver(_base(scanned.base, url), encoding)
    found = outlinks.read(scanned.links, host_of(url), resolve, canon, settings.max_links, is_known)
    return Page(
        url=url,
        base=resolve.base,
        encoding=encoding,
        links=found.links,
        title=scanned.title,
        description=" ".join(next(_named(metas, "description"), "").split())[:MAX_DESCRIPTION],
        lang=_lang(scanned, headers),
        canonical=found.canonical or _canonical(headers, url),
        refresh=_refresh(metas, headers, resolve),
        directives=_directives(metas, headers, token),
        text=scanned.text,
        sketch=scanned.sketch,
        said=Said(*scanned.said, scanned.brief),
        targets=found.targets,
        known=found.known,
        refused=found.refused,
        abroad=found.abroad,
        links_cut=found.cut,
        undecodable=charset.is_faulty(html, encoding),
    )


def _base(href: str | None, url: str) -> str:
    """Returns the base URL, which is resolved against the document's own URL."""
    base = None if href is None else parse(href, url)
    return base if base is not None and base.startswith(HTTP) else url


def _lang(scanned: Scanned, headers: Headers) -> str:
    """Returns the language of the root element, else the one that the pragma or the header gives if it gives one."""
    if scanned.lang:
        return scanned.lang.strip()
    defaults = chain(_pragmas(scanned.metas, "content-language"), header_values(headers, "content-language"))
    single = (language for language in defaults if "," not in language)
    return next(single, "").strip()


def _canonical(headers: Headers, url: str) -> str | None:
    """Returns the canonical URL that a header gives; a link element is nearer to the page."""
    sent = header_values(headers, "link")
    if not sent:
        return None
    resolve = Resolver(url, "utf-8")
    return next(filter(None, map(resolve, link_header.targets(sent, "canonical"))), None)


def _refresh(metas: Sequence[Meta], headers: Headers, resolve: Resolver) -> Refresh | None:
    """Returns the first refresh that leads to a page we can fetch; the header is there before the markup."""
    for content in chain(header_values(headers, "refresh"), _pragmas(metas, "refresh")):
        asked = refresh.read(content)
        url = asked and resolve(asked[1])
        if asked and url:
            return Refresh(asked[0], url)
    return None


def _directives(metas: Sequence[Meta], headers: Headers, token: str) -> Directives:
    sent = directives.from_headers(header_values(headers, "x-robots-tag"), token)
    return directives.merge(directives.from_meta([(name, content) for name, _, content in metas], token), sent)


def _named(metas: Sequence[Meta], wanted: str) -> Iterator[str]:
    """Yields the content of each meta with this name."""
    return (content for name, _, content in metas if name and name.strip().lower() == wanted)


def _pragmas(metas: Sequence[Meta], wanted: str) -> Iterator[str]:
    """Yields the content of each meta with this http-equiv."""
    return (content for _, pragma, content in metas if pragma and pragma.strip().lower() == wanted)
