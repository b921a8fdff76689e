"""Whatever is in a PDF, reading it ends: in time, in its memory, and with the process that asked unharmed."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from skitter.content.pdf.desk import PdfDesk
from skitter.settings import ContentSettings
from tests.content.conftest import a_pdf

MUTATED = 60
MB = 1024**2


@pytest.fixture(scope="module")
def desk() -> Iterator[PdfDesk]:
    made = PdfDesk(ContentSettings(pdf_seconds=5, pdf_memory=256 * MB))
    yield made
    made.close()


def test_text_facts_and_links(desk: PdfDesk) -> None:
    paper = desk.read(a_pdf("One line.\nAnother.", "https://a.example/next"), 1000)
    assert paper.trouble == ""
    assert paper.text.split() == ["One", "line.", "Another."]
    assert (paper.pages, paper.read) == (1, 1)
    assert (paper.info["Title"], paper.info["Author"]) == ("A paper", "N. N.")
    assert paper.links == ["https://a.example/next"]


def test_no_more_text_than_is_wanted(desk: PdfDesk) -> None:
    assert len(desk.read(a_pdf("word " * 1000), 100).text) == 100


@pytest.mark.parametrize("body", [b"", b"%PDF-", b"%PDF-1.4\n%%EOF", b"\0" * 1000, a_pdf()[:200], b"<html>"])
def test_what_is_no_pdf_is_told(desk: PdfDesk, body: bytes) -> None:
    assert desk.read(body, 1000).trouble
    assert desk.read(a_pdf(), 1000).text


def mutated(body: bytes, seed: int) -> bytes:
    dice, data = random.Random(seed), bytearray(body)
    for _ in range(dice.randint(1, 30)):
        at = dice.randrange(len(data))
        match dice.randrange(4):
            case 0:
                data[at] = dice.randrange(256)
            case 1:
                del data[at : at + dice.randrange(40)]
            case 2:
                data[at:at] = data[at : at + dice.randrange(200)]
            case 3:
                data[at:at] = str(dice.choice([0, -1, 2**31, 10**12])).encode()
    return bytes(data)


@pytest.mark.slow
def test_mutated_ones_are_borne(desk: PdfDesk) -> None:
    body = a_pdf("Some words.\nMore of them.", "https://a.example/")
    for seed in range(MUTATED):
        paper = desk.read(mutated(body, seed), 10_000)
        assert len(paper.text) <= 10_000
    assert desk.read(body, 1000).trouble == ""


@pytest.mark.slow
def test_a_process_that_dies_costs_one_pdf(desk: PdfDesk) -> None:
    desk.read(a_pdf(), 1000)
    assert desk.pid is not None
    os.kill(desk.pid, 9)
    assert desk.read(a_pdf(), 1000).trouble in ("", "reading it ended the process, or took too long")
    assert desk.read(a_pdf(), 1000).trouble == ""


@pytest.mark.slow
def test_cpu_time_is_limited() -> None:
    """A page that draws itself without end: each call of a form calls it twice again."""
    desk = PdfDesk(ContentSettings(pdf_seconds=0.5, pdf_memory=512 * MB))
    pages = b"".join(
        b"%d 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources "
        b"<< /Font << /F1 5 0 R >> >> >>\nendobj\n" % number
        for number in range(10, 1500)
    )
    kids = b" ".join(b"%d 0 R" % number for number in range(10, 1500))
    stream = b"BT /F1 1 Tf " + b"(words and words) Tj " * 20_000 + b"ET"
    body = (
        b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1490 /Kids ["
        + kids
        + b"] >>\nendobj\n4 0 obj\n<< /Length %d >>\nstream\n" % len(stream)
        + stream
        + b"\nendstream\nendobj\n5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n"
        + pages
        + b"trailer\n<< /Root 1 0 R >>\n%%EOF"
    )
    paper = desk.read(body, 10**9)
    assert paper.trouble or paper.read < paper.pages
    assert desk.read(a_pdf(), 1000).trouble == ""
    desk.close()


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="only Linux tells the limits of a process")
def test_its_process_is_limited(desk: PdfDesk) -> None:
    desk.read(a_pdf(), 1000)
    told = Path(f"/proc/{desk.pid}/limits").read_text()
    limits = {line[:26].strip(): line[26:].split()[:2] for line in told.splitlines()[1:]}
    assert limits["Max core file size"] == ["0", "0"]
    assert limits["Max file size"] == ["0", "0"]
    assert 256 * MB <= int(limits["Max address space"][0]) < 4096 * MB
    open_files = len(list(Path(f"/proc/{desk.pid}/fd").iterdir()))
    assert int(limits["Max open files"][0]) <= open_files + 1
    assert limits["Max cpu time"][0] != "unlimited"
