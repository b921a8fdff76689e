"""Markup cut into tags and text, as the tokeniser of the HTML standard cuts it, in one pass and in linear time.

There is no tree, on purpose. What a crawler needs of a page (links, metadata, text) is in its tokens, and the tree that
the standard builds of them can't be bounded: it looks through all open elements for nearly every tag, and an unclosed
`<font>` is opened again in every paragraph that follows. In Lexbor, a megabyte of `<div></x>` takes half a minute and
75 KB of `<p><font size=…>` three gigabytes. Browsers give up at a depth of 512; tokens have no depth.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from skitter.parse.attributes import read

BREAK = b"\f"  # stands in the text for the edge of a block; to HTML it is a space

# Their content is not markup. What noscript holds is markup again for those who run no scripts, see `reference`.
RAW = b"script style textarea title xmp iframe noembed noframes noscript plaintext".split()
SHOWN = frozenset({b"xmp", b"plaintext"})
# What is beside the main text, what may be as far as its attributes say so, and what holds it, see `regions`.
ASIDES = b"aside dialog footer header menu nav search select".split()
HOLDERS = b"address div dl ol section table ul".split()
MAIN = b"main"
# What the readers want to see; `/a` ends an anchor.
MARKED = (
    b"html base link meta title a /a area img form frame iframe script audio video source track embed object input "
    b"noscript noframes template /template"
).split() + [slash + name for name in (*ASIDES, *HOLDERS, MAIN) for slash in (b"", b"/")]
BLOCKS = (
    b"address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption "
    b"figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ol "
    b"optgroup option p plaintext pre search section select summary table tbody td tfoot th thead tr ul xmp"
).split()
INLINE = (
    b"abbr acronym applet b bdi bdo big button canvas cite code col colgroup data datalist del dfn em font g i ins kbd "
    b"label map mark math meter nobr output path picture q rp rt ruby s samp slot small span strike strong sub sup svg "
    b"time tt u use var wbr"
).split()

_NOTHING, _BREAK, _MARK, _SHOWN = 0, 1, 2, 4
_TASKS: dict[bytes | None, int] = {None: _NOTHING}
_TASKS |= {slash + name: _NOTHING for name in INLINE + RAW for slash in (b"", b"/")}
_TASKS |= {slash + name: _BREAK for name in BLOCKS for slash in (b"", b"/")}
_TASKS |= {name: _TASKS.get(name, _NOTHING) | _MARK for name in MARKED}
_TASKS |= dict.fromkeys(SHOWN, _BREAK | _SHOWN)

# An equals sign where a name could start is the first character of one, not the start of a value.
_START = rb"[\t\n\f\r ]*+=?+"
_NAMES = _START + rb"(?:[^>=/]++|/" + _START + rb")*+"
_VALUE = rb"=[\t\n\f\r ]*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >\"'][^\t\n\f\r >]*+)?+"
ATTRIBUTES = _NAMES + rb"(?:" + _VALUE + _NAMES + rb")*+"
_RAW_NAME = b"|".join(b"".join(b"[%c%c]" % (sign, sign - 32) for sign in name) for name in RAW)
_RAW_START = b"".join(b"[%b]" % bytes({name[at] - case for name in RAW for case in (0, 32)}) for at in (0, 1))
_TOKEN = re.compile(
    rb"<(?:(?:(?=" + _RAW_START + rb")(?=(" + _RAW_NAME + rb")[\t\n\f\r />]))?+"
    rb"(/?[a-zA-Z][^\t\n\f\r />]*+)(?:>|(" + ATTRIBUTES + rb")>)"
    rb"(?(1)((?:[^<]++|<(?!/(?i:\1)[\t\n\f\r />]))*+))"
    rb"|!--(?:-?>|.*?(?:--!?>|\Z))"
    rb"|[!?/][^>a-zA-Z][^>]*+(?:>|\Z)|[!?][^>]*+(?:>|\Z)|/>"
    rb"|/?[a-zA-Z].*+)",  # a tag that never ends is none
    re.DOTALL,
)

Mark = tuple[bytes, bytes, bytes | None, int]
"""A tag of `MARKED`, its attributes as written, its content if that is not markup, and how much text is before it."""


class Markup(NamedTuple):
    """A document: pieces of text with breaks between blocks, and the tags among them that matter."""

    text: list[bytes]
    marks: list[Mark]


def cut(html: bytes) -> Markup:
    """Returns the text and the tags of a document in UTF-8."""
    text: list[bytes] = []
    marks: list[Mark] = []
    add, mark, tasks, line_break = text.append, marks.append, _TASKS, BREAK  # this loop is half the cost of a page
    pieces = iter(_TOKEN.split(html))
    add(next(pieces))
    for _, name, attributes, raw, after in zip(pieces, pieces, pieces, pieces, pieces, strict=True):
        try:
            task = tasks[name]
        except KeyError:
            name = name.lower()
            task = tasks.get(name, _NOTHING)
        if task:
            if task & _BREAK:
                add(line_break)
            if task & _MARK:
                mark((name, attributes or b"", raw, len(text)))
            elif task & _SHOWN:
                add(raw)
        if after:
            add(after)
    has_templates = any(name == b"template" for name, _, _, _ in marks)
    return _without_templates(Markup(text, marks)) if has_templates else Markup(text, marks)


def _without_templates(markup: Markup) -> Markup:
    """Returns a document without what its templates hold, which is no part of it until a script says so.

    One with `shadowrootmode` is a part at once: so pages show the inside of a component (a declarative shadow root).
    """
    text, marks, depth, start = markup.text, [], 0, 0
    for mark in markup.marks:
        if mark[0] == b"template":
            if not depth and _is_shadow_root(mark[1]):
                continue
            start = start if depth else mark[3]
            depth += 1
        elif mark[0] == b"/template":
            if depth == 1:
                text[start : mark[3]] = [b""] * (mark[3] - start)
            depth = max(depth - 1, 0)
        elif not depth:
            marks.append(mark)
    if depth:
        del text[start:]
    return Markup(text, marks)


def _is_shadow_root(attributes: bytes) -> bool:
    return read(attributes).get(b"shadowrootmode", b"").lower() in (b"open", b"closed")
