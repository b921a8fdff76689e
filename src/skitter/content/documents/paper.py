"""What a PDF says, as a document. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from skitter.content.documents.document import Document, Limits, Reader, Told, clean, one_line
from skitter.content.documents.when import pdf_date
from skitter.parse.maintext import MAX_TITLE

NAMES = ("Author", "Subject", "Keywords", "Creator", "Producer")


class PaperRead(Protocol):
    """What reading a PDF brings, see `pdf.messages`."""

    @property
    def text(self) -> str: ...
    @property
    def pages(self) -> int: ...
    @property
    def info(self) -> dict[str, str]: ...
    @property
    def trouble(self) -> str: ...


def pdf_reader(read: Callable[[bytes, int], PaperRead]) -> Reader:
    """Returns the reader of PDFs, by whoever reads them."""

    def read_paper(document: Document, limits: Limits) -> Told:
        paper = read(document.body, limits.max_text)
        if paper.trouble:
            return Told(f"failed: {one_line(paper.trouble, 200)}")
        return Told(
            "pdf",
            title=one_line(paper.info.get("Title", ""), MAX_TITLE),
            description=one_line(paper.info.get("Subject", ""), 4000),
            text=clean(paper.text, limits.max_text),
            published=pdf_date(paper.info.get("CreationDate", "")),
            modified=pdf_date(paper.info.get("ModDate", "")),
            facts={"pdf": _facts(paper.info, paper.pages)},
        )

    return read_paper


def _facts(info: Mapping[str, str], pages: int) -> dict[str, object]:
    said: dict[str, object] = {name.lower(): one_line(info[name], 500) for name in NAMES if info.get(name)}
    return {"pages": pages, **said}
