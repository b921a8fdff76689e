"""Plain text, JSON, and feeds. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator

from skitter.content.documents.about import MAX_HEADING, MAX_HEADINGS
from skitter.content.documents.document import Document, Heading, Limits, Told, clean, one_line
from skitter.content.documents.page import MAX_DESCRIPTION
from skitter.content.documents.when import when
from skitter.messages import header_values
from skitter.parse import attributes, charset
from skitter.parse.maintext import MAX_TITLE
from skitter.parse.markup import End, Leaf, Start, Text, tokens
from skitter.parse.metas import NEAR

MAX_NESTED = 64
TITLES, BRIEFS = ("title", "name", "headline"), ("description", "summary", "subtitle")
WRITTEN = frozenset({"description", "summary", "subtitle", "content", "content:encoded"})
ITEMS = frozenset({"item", "entry"})
PUBLISHED, MODIFIED = (
    frozenset({"pubdate", "published", "dc:date", "issued"}),
    frozenset({"lastbuilddate", "updated", "modified"}),
)


def text_of(document: Document, limits: Limits) -> str:
    """Returns a body as text."""
    content_type = next(iter(header_values(document.headers, "content-type")), None)
    text, _ = charset.decode(document.body[: limits.max_bytes], content_type)
    return text


def read_plain(document: Document, limits: Limits) -> Told:
    """Returns a text as it is, with its first line as the title if that is short."""
    text = clean(text_of(document, limits), limits.max_text).replace("\r\n", "\n").strip()
    first = text[:NEAR].partition("\n")[0]
    return Told("plain", title=one_line(first, MAX_TITLE) if len(first) <= MAX_HEADING else "", text=text)


def read_json(document: Document, limits: Limits) -> Told:
    """Returns the strings in a JSON document, a line each; names of members are not said to anyone."""
    try:
        value = json.loads(text_of(document, limits), strict=False)
    except (ValueError, RecursionError):
        return Told("json", text=clean(text_of(document, limits), limits.max_text))
    top = value if isinstance(value, dict) else {}
    lines, size = [], 0
    for string in _strings(value, MAX_NESTED):
        lines.append(string)
        size += len(string) + 1
        if size > limits.max_text:
            break
    return Told(
        "json",
        title=one_line(_named(top, TITLES), MAX_TITLE),
        description=one_line(_named(top, BRIEFS), MAX_DESCRIPTION),
        text=clean("\n".join(lines), limits.max_text),
    )


def read_feed(document: Document, limits: Limits) -> Told:
    """Returns what a feed says: its own title, and title and summary of each entry."""
    found = _Feed()
    for token in tokens(text_of(document, limits)):
        found.take(token)
    return Told(
        "feed",
        title=found.title,
        description=found.description,
        text=clean("\n".join(found.lines), limits.max_text),
        declared_lang=found.lang,
        headings=found.headings,
        published=found.published,
        modified=found.modified,
    )


class _Feed:
    """Follows a feed from token to token."""

    def __init__(self) -> None:
        self.title = self.description = self.lang = ""
        self.published: float | None = None
        self.modified: float | None = None
        self.lines: list[str] = []
        self.headings: list[Heading] = []
        self._is_in_item = False
        self._open = ""
        self._pieces: list[str] = []

    def take(self, token: Start | End | Leaf | Text) -> None:
        match token:
            case Leaf(name, text):
                self._say(name.lower(), text)
            case Start(name, _, is_empty):
                self._is_in_item = self._is_in_item or name.lower() in ITEMS
                if not is_empty and not self._open and name.lower() in (*TITLES, *WRITTEN):
                    self._open, self._pieces = name.lower(), []
            case Text(text) if self._open:
                self._pieces.append(text)
            case End(name) if self._open and name.lower() == self._open:
                self._open, said = "", "".join(self._pieces)
                self._say(name.lower(), said)
            case End(name) if name.lower() in ITEMS:
                self._open, self._is_in_item = "", False

    def _say(self, name: str, said: str) -> None:
        # Summaries are HTML in a string, mostly.
        text = one_line(_unmarked(said) if "<" in said or "&" in said else said, MAX_DESCRIPTION)
        if name == "title" and text:
            self._take_title(text)
        elif name in WRITTEN and text:
            if self._is_in_item:
                self.lines.append(text)
            else:
                self.description = self.description or text
        elif name == "language" and not self._is_in_item:
            self.lang = text[:40]
        elif not self._is_in_item and name in PUBLISHED:
            self.published = self.published or when(said)
        elif not self._is_in_item and name in MODIFIED:
            self.modified = self.modified or when(said)

    def _take_title(self, text: str) -> None:
        if not self._is_in_item:
            self.title = self.title or text[:MAX_TITLE]
            return
        self.lines.append(text)
        if len(self.headings) < MAX_HEADINGS:
            self.headings.append(Heading(2, text[:MAX_HEADING]))


def _unmarked(said: str) -> str:
    text = " ".join(token.text for token in tokens(said) if isinstance(token, Text | Leaf))
    return attributes.unescape(text)


def _named(top: dict[str, object], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := top.get(name), str)), "")


def _strings(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif depth and isinstance(value, dict):
        for one in value.values():
            yield from _strings(one, depth - 1)
    elif depth and isinstance(value, list):
        for one in value:
            yield from _strings(one, depth - 1)
