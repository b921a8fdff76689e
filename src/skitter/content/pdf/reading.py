"""A PDF by pdfium: text, facts and links. Only for a process that may die of it; one thread at a time."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from typing import Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as raw  # type: ignore[import-untyped]

from skitter.content.pdf.messages import MAX_LINK, MAX_LINKS, MAX_PAGES, Order, Paper

MAX_INFO = 1000


def read_pdf(order: Order) -> Paper:
    """Returns what a PDF says, as much of it as there was time for."""
    until = time.process_time() + order.seconds * 0.8  # the rest is for the page that is under way
    try:
        document = pdfium.PdfDocument(order.body)
    except pdfium.PdfiumError as error:
        return Paper(trouble=str(error)[:200])
    try:
        return _read(document, order, until)
    finally:
        document.close()


def _read(document: Any, order: Order, until: float) -> Paper:
    pages, links = list[str](), dict[str, None]()
    count, size, read = len(document), 0, 0
    for number in range(min(count, MAX_PAGES)):
        if time.process_time() >= until or (order.has_text and size >= order.max_text):
            break
        try:
            page = document[number]
        except pdfium.PdfiumError:
            continue  # others may be whole
        try:
            text = _text(page) if order.has_text else ""
            for link in _links(document, page):
                if len(links) < MAX_LINKS:
                    links.setdefault(link)
        except pdfium.PdfiumError:
            text = ""
        finally:
            page.close()
        pages.append(text)
        size += len(text)
        read += 1
    return Paper("\f".join(pages)[: order.max_text], count, read, _info(document), list(links))


def _text(page: Any) -> str:
    textpage = page.get_textpage()
    try:
        text: str = textpage.get_text_range(errors="replace")
    finally:
        textpage.close()
    # U+FFFE marks a hyphen at the end of a line: the word goes on in the next one.
    return text.replace("\ufffe\r\n", "").replace("\ufffe", "").replace("\r\n", "\n").replace("\0", "")


def _info(document: Any) -> dict[str, str]:
    found: dict[str, str] = document.get_metadata_dict(skip_empty=True)
    return {key: value[:MAX_INFO] for key, value in found.items()}


def _links(document: Any, page: Any) -> Iterator[str]:
    place, link = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(MAX_LINKS):
        if not raw.FPDFLink_Enumerate(page.raw, place, link):
            return
        action = raw.FPDFLink_GetAction(link)
        if action and raw.FPDFAction_GetType(action) == raw.PDFACTION_URI:
            buffer = ctypes.create_string_buffer(MAX_LINK + 1)
            size = raw.FPDFAction_GetURIPath(document.raw, action, buffer, MAX_LINK + 1)
            if 1 < size <= MAX_LINK + 1:
                yield buffer.raw[: size - 1].decode("utf-8", "replace")
