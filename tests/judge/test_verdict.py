"""From what a page asks to what we think of it."""

from __future__ import annotations

import pytest

from skitter.judge.verdict import verdict_of
from skitter.messages import Directives, Reason, Verdict

CASES = {
    "nothing": (Directives(), False, Verdict(reasons=[])),
    "noindex": (Directives(noindex=True), False, Verdict(reasons=[Reason.NOINDEX])),
    "nofollow": (Directives(nofollow=True), False, Verdict(follow=False, reasons=[Reason.NOFOLLOW])),
    "cut": (Directives(), True, Verdict(reasons=[Reason.LINKS_CUT])),
    "all": (
        Directives(noindex=True, nofollow=True),
        True,
        Verdict(follow=False, reasons=[Reason.NOINDEX, Reason.NOFOLLOW, Reason.LINKS_CUT]),
    ),
}


@pytest.mark.parametrize(("asked", "cut", "verdict"), CASES.values(), ids=CASES)
def test_what_follows_from_what_a_page_asks(asked: Directives, cut: bool, verdict: Verdict) -> None:
    assert verdict_of(asked, links_cut=cut) == verdict
