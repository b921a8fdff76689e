"""What follows from what a page asks of us. Pure."""

from __future__ import annotations

from skitter.messages import Directives, Reason, Verdict


def verdict_of(directives: Directives, *, links_cut: bool = False) -> Verdict:
    """Returns what we think of a page that asks for `directives`; `links_cut`: it has more links than are looked at."""
    reasons = [Reason.NOINDEX] if directives.noindex else []
    reasons += [Reason.NOFOLLOW] if directives.nofollow else []
    reasons += [Reason.LINKS_CUT] if links_cut else []
    return Verdict(follow=not directives.nofollow, reasons=reasons)
