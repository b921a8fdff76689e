"""Archives to make tables of, and PDFs written by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from skitter.ports import Capture
from skitter.settings import StoreSettings
from skitter.store.archive import Archive
from tests.store.conftest import BEGAN, a_capture

Stored = Callable[..., Path]
HTML = (("Content-Type", "text/html; charset=utf-8"),)


def a_page(url: str, body: bytes | str = b"", *, headers: Sequence[tuple[str, str]] = HTML, **more: Any) -> Capture:
    """A capture of a page that led nowhere."""
    raw = body.encode() if isinstance(body, str) else body
    return a_capture(url, raw, headers=tuple(headers), **{"links": (), "title": "", **more})


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    """Stores captures in the archive of a crawl, in a file of their own."""

    def store(*captures: Capture, node: str = "n0", at: float = BEGAN) -> Path:
        async def write() -> None:
            async with Archive(tmp_path, StoreSettings(), node=node, facts={}, clock=lambda: at) as archive:
                for capture in captures:
                    await archive.append(capture)

        asyncio.run(write())
        return tmp_path

    return store


def rows(directory: Path, table: str = "text") -> list[dict[str, Any]]:
    """The rows of a table, in the order of their URLs."""
    found = duckdb.sql(f"select * from '{directory}/parquet/{table}/**/*.parquet' order by url, fetched_at")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def a_pdf(text: str = "Hello from a paper.", link: str = "", title: str = "A paper") -> bytes:
    """A PDF of one page, written by hand."""
    lines = "".join(f"({line}) Tj 0 -14 Td " for line in text.split("\n"))
    stream = f"BT /F1 12 Tf 72 720 Td {lines}ET".encode("latin-1")
    annotations = "/Annots [6 0 R]" if link else ""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R {annotations} "
        "/Resources << /Font << /F1 5 0 R >> >> >>".encode(),
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Type /Annot /Subtype /Link /Rect [72 700 200 730] /A << /S /URI /URI ({link}) >> >>".encode(),
        f"<< /Title ({title}) /Author (N. N.) /CreationDate (D:20260102030405Z) /ModDate (D:20260203) >>".encode(),
    ]
    made, places = bytearray(b"%PDF-1.4\n"), []
    for number, one in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    start = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    made += b"".join(b"%010d 00000 n \n" % place for place in places)
    made += b"trailer\n<< /Size %d /Root 1 0 R /Info 7 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(made)
