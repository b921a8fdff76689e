"""Entries out of tags and text: where one begins and ends, and what it says of itself.

It goes by the names of the elements and hardly by how they nest, because names are what broken documents keep.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from skitter.parse.listing import Listing
from skitter.parse.markup import End, Leaf, Start, Text, attributes_of

# Text that stands bare in an entry is looked at only if a URL begins in its first characters, after an indentation.
_INDENTED = 200


class Shape(NamedTuple):
    """How a kind of document lists its URLs: the elements that hold one, and what the elements in those mean."""

    kind: str
    entries: frozenset[str]
    fields: Mapping[str, str]
    loose: bool  # a URL without its entry, or an entry with nothing but a URL as its text, is taken too


class EntryReader:
    """Follows a document from token to token and adds an entry to `listing` whenever one is complete.

    `prefixes` are those of the document's own elements; all others belong to extensions.
    """

    def __init__(self, shape: Shape, prefixes: frozenset[str], listing: Listing) -> None:
        self.shape = shape
        self.prefixes = prefixes
        self.listing = listing
        self.inside = False  # an entry is open
        self.found: dict[str, str] = {}  # what the entry has said so far
        self.field: str | None = None  # what the open element means; its text is in `pieces`
        self.pieces: list[str] = []
        self.wrapped = 0  # open `<url>` within `<loc>`, which some write: they mean nothing
        self.skipped = ""  # an element of an extension is open: its `loc` or `link` is not that of a page
        self.skipped_depth = 0

    def take(self, token: Start | End | Leaf | Text) -> None:
        """Takes the next token."""
        if isinstance(token, Text):
            self._text(token)
            return
        name = self._own_name(token.name)
        if isinstance(token, Leaf):
            self._leaf(name, token.text)
        elif isinstance(token, End):
            self._end(name)
        else:
            self._start(name, token)

    def finish(self) -> None:
        """Takes the end of the document: an entry that is still open counts, with what was complete in it."""
        self._flush()

    def _own_name(self, name: str) -> str:
        if ":" not in name:
            return name.lower()
        prefix, _, local = name.lower().rpartition(":")
        return local if prefix in self.prefixes else f"{prefix}:{local}"

    def _leaf(self, name: str, text: str) -> None:
        field = self.shape.fields.get(name)
        if field is None or self.skipped or self.field is not None:
            self._start(name, Start(name, "", empty=False))
            self._text(Text(text))
            self._end(name)
        elif self._opens(field):
            self._keep(field, text)

    def _start(self, name: str, tag: Start) -> None:
        if self.skipped and name not in self.shape.entries:
            self.skipped_depth += name == self.skipped and not tag.empty
            return
        field = self.shape.fields.get(name)
        if name in self.shape.entries:
            self._start_entry(tag)
        elif field is not None:
            self._start_field(field, tag)
        elif self.inside and self.field is None and not tag.empty:
            self.skipped, self.skipped_depth = name, 1

    def _start_entry(self, tag: Start) -> None:
        if self.field == "url" and not self.pieces:
            self.wrapped += not tag.empty
            return
        self._flush()
        self.inside = not tag.empty

    def _start_field(self, field: str, tag: Start) -> None:
        self._close_field()
        if not self.inside and field == "url" and tag.attributes:
            self._link_of_feed(attributes_of(tag))
        if not self._opens(field):
            return
        link = attributes_of(tag) if field == "url" and tag.attributes else {}
        if "href" in link:
            self._link(link["href"], link.get("rel", ""))
        elif not tag.empty:
            self.field = field

    def _link_of_feed(self, link: Mapping[str, str]) -> None:
        if "hub" in link.get("rel", "").lower().split():
            self.listing.note_hub(link.get("href", ""))

    def _link(self, href: str, rel: str) -> None:
        # RFC 4287, 4.2.7.2: a link without `rel` is an alternate. Where there are both, it is the entry's main one.
        if not rel:
            self._keep("url", href)
        elif rel.strip().lower() == "alternate":
            self._keep("alternate", href)

    def _end(self, name: str) -> None:
        if self.skipped and name not in self.shape.entries:
            self.skipped_depth -= name == self.skipped
            if not self.skipped_depth:
                self.skipped = ""
        elif name in self.shape.entries:
            self._end_entry()
        elif name in self.shape.fields:
            self._close_field()

    def _end_entry(self) -> None:
        if self.wrapped:
            self.wrapped -= 1
            return
        self._flush()
        self.inside = False

    def _text(self, token: Text) -> None:
        if self.skipped:
            return
        if not token.whole:
            self.field, self.pieces = None, []
        elif self.field is not None:
            if self.pieces or not _is_blank(token.text):
                self.pieces.append(token.text)
        elif self.inside and self.shape.loose and "http" in token.text[:_INDENTED].lower():
            self._keep("text", token.text)

    def _opens(self, field: str) -> bool:
        """Whether an element with this meaning counts here. A second `<loc>` says that the first entry is over."""
        if not self.shape.loose:
            return self.inside
        if field == "url" and "url" in self.found:
            self._flush()
        return True

    def _close_field(self) -> None:
        if self.field is not None:
            self._keep(self.field, "".join(self.pieces))
        self.field, self.pieces = None, []

    def _keep(self, field: str, text: str) -> None:
        if not _is_blank(text):
            self.found.setdefault(field, text)

    def _flush(self) -> None:
        self._close_field()
        self.skipped, self.wrapped = "", 0
        if not self.found:
            return
        found, self.found = self.found, {}
        url = found.get("url") or found.get("alternate")
        modified = found.get("modified") or found.get("published") or ""
        # The links of a feed may be relative. A guid need not be a URL at all: only one that says so is taken as one.
        self.listing.add(
            url or found.get("guid") or found.get("text") or "",
            modified,
            relative=url is not None and not self.shape.loose,
            frequency=found.get("frequency", ""),
        )


def _is_blank(text: str) -> bool:
    return not text or text.isspace()
