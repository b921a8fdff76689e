"""Near duplicates on real documentation: `make near`.

Two versions of a manual side by side, as Debian packages have them. What is true is told by the element that holds the
chapter, which the rule does not know: pages of one path are the same if their word 5-grams have 0.9 in common, two
pages are different if they have less than 0.7 in common (one path in two versions: less than 0.5); the others count
neither way. Each manual is read as it is, and as an old template would have it: without elements, classes, ids and
roles that say what is what.
"""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from pages import ROOT
from selectolax.lexbor import LexborHTMLParser

from skitter.judge.near import Representatives, signature_of
from skitter.parse import html
from skitter.settings import ParseSettings

CACHE = ROOT / ".cache" / "near"
PATHS = 150
LEAST_WORDS = 60


class Manual(NamedTuple):
    """A manual in some packages: its folder in each, what holds a chapter, and what of that is around it."""

    packages: tuple[str, ...]
    folder: str
    holder: str
    around: str = "script,style,noscript,template"


MANUALS = {
    "llvm": Manual(("llvm-14-doc", "llvm-15-doc"), "usr/share/doc/*/html", "div.body"),
    "boost": Manual(
        ("libboost1.74-doc", "libboost1.81-doc"), "usr/share/doc/libboost1*/doc/html", "div.section,div.refentry"
    ),
    "libstdc++": Manual(
        ("libstdc++-11-doc", "libstdc++-12-doc"),
        "usr/share/doc/gcc-*/libstdc++/manual",
        "body",
        "div.navheader,div.navfooter",
    ),
    "glibmm": Manual(
        ("libglibmm-2.4-doc", "libglibmm-2.68-doc"), "usr/share/doc/libglibmm-*-doc/reference/html", "div.contents"
    ),
    "xerces": Manual(("libxerces2-java-doc",), "usr/share/doc/*/api", "main"),
}
"""These were looked at while the rule was made."""
OTHERS = {
    "clang": Manual(("clang-14-doc", "clang-15-doc"), "usr/share/doc/clang-1?/html", "div.content"),
    "quazip": Manual(
        ("libquazip1-qt5-doc", "libquazip1-qt6-doc"), "usr/share/doc/libquazip1-qt?-dev/html", "div.contents"
    ),
    "gtksourceview": Manual(
        ("libgtksourceview-3.0-doc", "libgtksourceview-4-doc"),
        "usr/share/gtk-doc/html/gtksourceview-*",
        "body",
        "table.navigation,div.footer",
    ),
    "rt": Manual(("rt4-doc-html", "rt5-doc-html"), "usr/share/doc/rt?-doc-html", "body"),
    "biojava": Manual(("libbiojava4-java-doc",), "usr/share/doc/*/api", "main"),
}
"""These were not: nothing was changed because of them."""


class Found(NamedTuple):
    """A page, and the word 5-grams of its chapter."""

    path: str
    markup: str
    grams: frozenset[tuple[str, ...]]


def main() -> None:
    """Measures and prints one table."""
    print(f"{'':24}{'pages':>7}{'same':>7}{'found':>7}{'false':>7}{'lost':>7}")
    for name, manual in (MANUALS | OTHERS).items():
        pages = list(_pages(manual))
        random.Random(1).shuffle(pages)
        for how, changed in (("", pages), (", old", [page._replace(markup=_stripped(page.markup)) for page in pages])):
            print(f"{name + how:24}" + "".join(f"{figure:7}" for figure in _score(changed)))


def _score(pages: list[Found]) -> tuple[int, int, int, int, int]:
    """Returns how many pages and same pairs there are, how many were found, how many false, and how many pages lost."""
    clusters, lost, index = defaultdict[int, list[int]](list), 0, Representatives()
    for number, page in enumerate(pages):
        read = html.read(page.markup.encode(), f"http://a.org/{page.path}", [], ParseSettings(), "skitter")
        signature = signature_of(read.said)
        like = index.near(signature)
        if like is None:
            index.add(number, signature)
        else:
            lost += _is_same(page, pages[like]) is False
        clusters[number if like is None else like].append(number)
    called = [_is_same(pages[a], pages[b]) for some in clusters.values() for a, b in combinations(some, 2)]
    paths = defaultdict[str, list[Found]](list)
    for page in pages:
        paths[page.path].append(page)
    same = [pair for some in paths.values() for pair in combinations(some, 2) if _is_same(*pair)]
    return len(pages), len(same), called.count(True), called.count(False), lost


def _is_same(one: Found, other: Found) -> bool | None:
    common = len(one.grams & other.grams) / len(one.grams | other.grams)
    if one.path == other.path:
        return True if common >= 0.9 else None if common >= 0.5 else False
    return None if common >= 0.7 else False


def _pages(manual: Manual) -> Iterator[Found]:
    roots = [root for package in manual.packages for root in _unpacked(package).glob(manual.folder)]
    paths = [{str(file.relative_to(root)) for file in root.rglob("*.html")} for root in roots]
    every = sorted(set.intersection(*paths))
    starts = random.Random(1).sample(range(len(every)), min(PATHS // 3, len(every)))
    for path in sorted({path for start in starts for path in every[start : start + 3]}):  # neighbours are the hard ones
        for root in roots:
            markup = (root / path).read_text(encoding="utf-8", errors="replace")
            grams = _grams(markup, manual)
            if len(grams) >= LEAST_WORDS:
                yield Found(path, markup, grams)


def _grams(markup: str, manual: Manual) -> frozenset[tuple[str, ...]]:
    holder = LexborHTMLParser(markup).css_first(manual.holder)
    if holder is None:
        return frozenset()
    for node in holder.css(manual.around):
        node.decompose()
    words = re.findall(r"\w+", holder.text(separator=" ").lower())
    return frozenset(tuple(words[at : at + 5]) for at in range(len(words) - 4))


def _stripped(markup: str) -> str:
    markup = re.sub(r"<(/?)(nav|header|footer|aside|main|section|article)\b", r"<\1div", markup)
    return re.sub(r'\s(class|id|role|summary)="[^"]*"', "", markup)


def _unpacked(package: str) -> Path:
    """Returns where a package is unpacked; it is downloaded once, and nothing is installed."""
    folder = CACHE / package
    if not folder.is_dir():
        with tempfile.TemporaryDirectory() as at:
            subprocess.run(["apt-get", "download", package], cwd=at, check=True, capture_output=True)
            folder.mkdir(parents=True)
            subprocess.run(["dpkg-deb", "-x", next(Path(at).glob("*.deb")), folder], check=True)
    return folder


main()
