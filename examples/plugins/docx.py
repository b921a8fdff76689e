"""A parser for Word's `.docx`: a zip file with XML in it, read within bounds.

    [plugins]
    use = ["docx:Docx"]

The file comes from the web. So nothing is unpacked that says, or turns out, to be larger than it may; and a document
type, by which XML can be made to grow without end or to read files, ends the reading. Such files never have one.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from xml.parsers import expat

from skitter import Document, Parsed

MOST_XML = 20_000_000
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_CORE = "http://purl.org/dc/elements/1.1/ "
_LINK = "http://schemas.openxmlformats.org/package/2006/relationships Relationship"
_HYPERLINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
_ENDS = {f"{_WORD}p": "\n", f"{_WORD}br": "\n", f"{_WORD}tab": "\t"}


class Docx:
    """Reads text, title and links."""

    media_types = ("application/vnd.openxmlformats-officedocument.wordprocessingml.document",)

    def parse(self, document: Document) -> Parsed | None:
        """Returns what a document says; None if it is no Word document."""
        try:
            with zipfile.ZipFile(io.BytesIO(document.body)) as archive:
                text = read_text(member(archive, "word/document.xml"))
                title = read_title(member(archive, "docProps/core.xml"))
                links = read_links(member(archive, "word/_rels/document.xml.rels"))
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, expat.ExpatError, ValueError, OSError, EOFError):
            return None
        return Parsed(text, title, links=links)


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Returns a file of the archive, nothing if it is not there. ValueError if it is too large."""
    if name not in archive.namelist():
        return b""
    with archive.open(name) as stream:
        content = stream.read(MOST_XML + 1)
    if len(content) > MOST_XML:
        raise ValueError(f"{name} is too large")
    return content


def read_text(xml: bytes) -> str:
    """Returns the text of `word/document.xml`, a paragraph a line."""
    parts: list[str] = []
    within: list[str] = []

    def begin(name: str, _: dict[str, str]) -> None:
        within.append(name)

    def say(text: str) -> None:
        if within and within[-1] == f"{_WORD}t":
            parts.append(text)

    def end(name: str) -> None:
        within.pop()
        parts.append(_ENDS.get(name, ""))

    walk(xml, begin, say, end)
    return "".join(parts).strip()


def read_title(xml: bytes) -> str:
    """Returns the title in `docProps/core.xml`."""
    parts: list[str] = []
    within: list[str] = []
    walk(
        xml,
        lambda name, _: within.append(name),
        lambda text: parts.append(text) if within[-1:] == [f"{_CORE}title"] else None,
        lambda _: within.clear(),
    )
    return " ".join("".join(parts).split())[:1000]


def read_links(xml: bytes) -> list[str]:
    """Returns where the links of a document lead, that leave it."""
    found: list[str] = []

    def begin(name: str, said: dict[str, str]) -> None:
        if name == _LINK and said.get("Type") == _HYPERLINK and said.get("TargetMode") == "External":
            found.append(said.get("Target", ""))

    walk(xml, begin, lambda _: None, lambda _: None)
    return [link for link in found if link]


def walk(
    xml: bytes, begin: Callable[[str, dict[str, str]], None], say: Callable[[str], None], end: Callable[[str], None]
) -> None:
    """Calls for each tag and text. ExpatError if it is no XML, ValueError if it has a document type."""

    def refuse(*_: object) -> None:
        raise ValueError("a document type")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = begin, say, end
    if xml:
        parser.Parse(xml, True)
