"""HTML. Pure.

`best` takes the main text of a page, `quick` all that is visible on it.
"""

from __future__ import annotations

from skitter.content.documents.about import About, about
from skitter.content.documents.document import Document, Limits, Told, clean, one_line
from skitter.messages import header_values
from skitter.parse import charset, maintext, scanner
from skitter.parse.maintext import MAX_TITLE, MainText
from skitter.parse.scanned import Scanned

MAX_DESCRIPTION = 4000


def read_html(document: Document, limits: Limits) -> Told:
    """Returns what a page says."""
    content_type = next(iter(header_values(document.headers, "content-type")), None)
    html, _ = charset.to_utf8(document.body[: limits.max_bytes], content_type)
    found = about(html)
    if limits.grade == "quick":
        how, said = "html-quick", _quick(html, limits.max_text)
    else:
        how, said = "html", maintext.read(html, document.url)
    return Told(
        how,
        title=one_line(said.title or found.content("og:title"), MAX_TITLE),
        description=one_line(_description(said, found), MAX_DESCRIPTION),
        text=clean(said.text, limits.max_text),
        declared_lang=said.lang or _sent_lang(document),
        headings=found.headings,
        published=found.published(),
        modified=found.modified(),
        facts=found.facts(),
        metas=found.metas,
    )


def _quick(html: bytes, max_text: int) -> MainText:
    scanned: Scanned = scanner.scan(html, max_text, 0, MAX_TITLE)
    return MainText(scanned.title, scanned.text, "", scanned.lang.strip())


def _description(said: MainText, found: About) -> str:
    return said.description or found.content("description") or found.content("og:description")


def _sent_lang(document: Document) -> str:
    sent = [told for told in header_values(document.headers, "content-language") if "," not in told]
    return sent[0] if sent else ""
