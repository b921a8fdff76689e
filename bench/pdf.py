"""PDFs as they are: how much of their text we find, and what damaged ones do to us.

    python bench/pdf.py bring                 real PDFs and pdftotext from Debian packages into .cache/pdf (no root)
    python bench/pdf.py words [--most 150]    our words against those of pdftotext
    python bench/pdf.py mutated [--count 1000] [--seed 1]

`words`: of all words that pdftotext finds in a document, counted as often as they occur, the share that we find too.
`mutated`: real PDFs with bytes changed, cut out, doubled; every one is read in the process that a crawl uses.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from skitter.content.pdf.desk import PdfDesk
from skitter.settings import ContentSettings
from tests.content.test_pdf import mutated as changed

CACHE = Path(".cache/pdf")
ROOT = CACHE / "root"
TOOL = "poppler-utils"
DOCUMENTS = (
    "debian-handbook",
    "debian-reference-en",
    "developers-reference",
    "gawk-doc",
    "gdb-doc",
    "gnuplot-doc",
    "maint-guide",
    "maxima-doc",
    "octave-doc",
    "r-doc-pdf",
    "texlive-latex-base-doc",
)
WORD = re.compile(r"\w+")
MAX_TEXT = 20_000_000


def bring() -> None:
    """Downloads the packages and unpacks them below `.cache`."""
    CACHE.mkdir(parents=True, exist_ok=True)
    options = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"]
    command = ["apt-cache", "depends", "--recurse", *(f"--no-{option}" for option in options), TOOL]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    needed = {line for line in told.splitlines() if line[:1].isalpha()} - {"libc6", "dpkg", "debconf", "perl"}
    for name in sorted(needed | {*DOCUMENTS}):
        subprocess.run(["apt-get", "download", "-qq", name], cwd=CACHE, check=False)
    for package in CACHE.glob("*.deb"):
        subprocess.run(["dpkg", "-x", str(package), str(ROOT)], check=True)
    print(f"{len(papers())} PDFs in {ROOT}")


def papers() -> list[tuple[str, bytes]]:
    """Returns all PDFs that were brought, packed ones too, each body once."""
    found: dict[bytes, str] = {}
    for path in sorted(ROOT.rglob("*.pdf*")):
        if path.is_file() and not path.is_symlink():
            body = path.read_bytes()
            body = gzip.decompress(body) if path.suffix == ".gz" else body
            found.setdefault(body, path.name)
    return [(name, body) for body, name in found.items()]


def by_pdftotext(body: bytes) -> str:
    library = os.pathsep.join(str(path) for path in (ROOT / "usr" / "lib").glob("*-linux-gnu"))
    command = [str(ROOT / "usr/bin/pdftotext"), "-", "-"]
    done = subprocess.run(
        command, input=body, capture_output=True, check=False, env={**os.environ, "LD_LIBRARY_PATH": library}
    )
    return done.stdout.decode("utf-8", "replace")


def words(most: int) -> None:
    desk = PdfDesk(ContentSettings(pdf_seconds=60))
    shares, ours_all, both_all, theirs_all, pages, seconds = [], 0, 0, 0, 0, 0.0
    for name, body in papers()[:most]:
        theirs = Counter(WORD.findall(by_pdftotext(body)))
        began = time.perf_counter()
        paper = desk.read(body, MAX_TEXT)
        seconds += time.perf_counter() - began
        if sum(theirs.values()) < 50:
            continue  # drawings
        ours = Counter(WORD.findall(paper.text))
        both = (ours & theirs).total()
        shares.append((both / theirs.total(), name, paper.trouble))
        both_all, theirs_all = both_all + both, theirs_all + theirs.total()
        ours_all, pages = ours_all + ours.total(), pages + paper.read
    desk.close()
    shares.sort()
    middle, good = statistics.median(share for share, _, _ in shares), sum(share >= 0.95 for share, _, _ in shares)
    print(f"{len(shares)} PDFs, {pages} pages, {theirs_all} words by pdftotext, {ours_all} by us")
    print(f"found: {both_all / theirs_all:.4f} of all words; median of PDFs {middle:.4f}")
    print(f"{good} of {len(shares)} PDFs at 0.95 or more; {seconds / pages * 1000:.1f} ms a page, wall time")
    for share, name, trouble in shares[:8]:
        print(f"  {share:.3f} {name} {trouble}")


def mutated(count: int, seed: int) -> None:
    sources = [(name, body) for name, body in papers() if len(body) < 300_000]
    settings = ContentSettings(pdf_seconds=5, pdf_memory=512 * 1024**2)
    desk, dice = PdfDesk(settings), random.Random(seed)
    times, troubles, texts, most_memory = [], Counter[str](), 0, 0
    for number in range(count):
        _, body = dice.choice(sources)
        began = time.perf_counter()
        paper = desk.read(changed(body, seed * 1_000_000 + number), 1_000_000)
        times.append(time.perf_counter() - began)
        troubles[paper.trouble[:60]] += 1
        texts += bool(paper.text.strip())
        most_memory = max(most_memory, _peak(desk.pid))
    desk.close()
    print(f"{count} mutated PDFs, made of {len(sources)} (seed {seed}): text of {texts}")
    print(f"processes killed or dead: {desk.killed}; peak memory {most_memory / 1e6:.0f} MB")
    print(f"wall time: median {statistics.median(times) * 1000:.1f} ms, longest {max(times):.2f} s")
    for trouble, times_told in troubles.most_common():
        print(f"  {times_told:5d} {trouble or 'none'}")


def _peak(pid: int | None) -> int:
    if pid is None:
        return 0
    try:
        told = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", told)
    return int(found[1]) * 1024 if found else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["bring", "words", "mutated"])
    parser.add_argument("--most", type=int, default=150)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    match given.what:
        case "bring":
            bring()
        case "words":
            words(given.most)
        case "mutated":
            mutated(given.count, given.seed)
