"""A URL counts as it last was, and what was seen again is compared with what was there before."""

from __future__ import annotations

import pytest

from skitter.rank.survey.content import Counts, Visit, counts_of
from skitter.rank.survey.marks import CaptureMark as Mark

PAGE, ERROR, SAME = Mark.PAGE, Mark.ERROR, Mark.SAME


def visit(at: int, mark: int = PAGE, *, url: str = "u", digest: str = "d", simhash: int = 0) -> Visit:
    return Visit(0, url, digest, simhash, at, mark)


CASES: dict[str, tuple[list[Visit], Counts]] = {
    "nothing": ([], Counts()),
    "a page": ([visit(1)], Counts(urls=1, pages=1)),
    "an error": ([visit(1, ERROR)], Counts(urls=1, errors=1)),
    "a redirect": ([visit(1, 0)], Counts()),
    "gone since": ([visit(2, ERROR), visit(1)], Counts(urls=1, errors=1)),
    "back again": ([visit(1, ERROR), visit(2)], Counts(urls=1, pages=1)),
    "the same again": ([visit(1), visit(2)], Counts(urls=1, pages=1, again=1)),
    "not changed, says the server": ([visit(1), visit(2, SAME, digest="")], Counts(urls=1, pages=1, again=1)),
    "other bytes": ([visit(1), visit(2, digest="e")], Counts(urls=1, pages=1, again=1, changed=1)),
    "other bytes, same words": (
        [visit(1, simhash=7), visit(2, digest="e", simhash=7)],
        Counts(urls=1, pages=1, again=1),
    ),
    "soft": ([visit(1, PAGE | Mark.SOFT_404)], Counts(urls=1, pages=1, soft_404=1)),
    "thin": ([visit(1, PAGE | Mark.THIN)], Counts(urls=1, pages=1, thin=1)),
    "no longer soft": ([visit(1, PAGE | Mark.SOFT_404), visit(2)], Counts(urls=1, pages=1, again=1)),
    "marked as a copy": ([visit(1, PAGE | Mark.DUPLICATE)], Counts(urls=1, pages=1, duplicates=1)),
    "three of equal bytes": ([visit(1, url=url) for url in "abc"], Counts(urls=3, pages=3, duplicates=2)),
    "a copy is counted once": (
        [visit(1), visit(1, PAGE | Mark.DUPLICATE, url="v")],
        Counts(urls=2, pages=2, duplicates=1),
    ),
    "without a digest nobody is a copy": (
        [visit(1, url=url, digest="") for url in "ab"],
        Counts(urls=2, pages=2),
    ),
}


@pytest.mark.parametrize(("visits", "expected"), CASES.values(), ids=CASES)
def test_what_is_counted(visits: list[Visit], expected: Counts) -> None:
    counts, pages = counts_of(visits, 1)
    assert counts == [expected]
    assert len(pages) == expected.pages
