"""What a scanner finds in a document, the native one and the reference. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from skitter.parse.shingles import Hashes

Found: TypeAlias = tuple[str, str, str, str]
"""A link: its tag, its href without the fragment (of a meta, its content), its rel and its anchor text."""

Meta: TypeAlias = tuple[str, str, str]
"""Name, http-equiv and content."""


class Scanned(NamedTuple):
    """What a document says. No two links have the same tag, href and rel; they can be asked for once."""

    base: str | None  # the href of the first base that has one
    lang: str  # of the root element
    title: str
    metas: Sequence[Meta]  # those with a name or an http-equiv
    links: Iterator[Found]
    text: str
    sketch: bytes  # of title and main text, see `sketch`
    said: Hashes  # of the main text, see `shingles`
    brief: str  # the main text, if it is short
