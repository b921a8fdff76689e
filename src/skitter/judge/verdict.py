"""What we think of a page, reason by reason. Pure."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import structs

from skitter.messages import Directives, Reason, Verdict

DUPLICATE_WEIGHT = 0.5
"""What the links of a page are worth that says what another one says: they are nearly all known from there."""

LINKS_OF_UNKNOWN = 200
"""Links of a page that are followed if nobody vouches for its domain."""


def verdict_of(directives: Directives, *, links_cut: bool = False) -> Verdict:
    """Returns what we think of a page that asks for `directives`; `links_cut`: it has more links than are looked at."""
    reasons = [Reason.NOINDEX] if directives.noindex else []
    reasons += [Reason.NOFOLLOW] if directives.nofollow else []
    reasons += [Reason.LINKS_CUT] if links_cut else []
    return Verdict(follow=not directives.nofollow, reasons=reasons)


def with_reason(
    verdict: Verdict, reason: Reason, evidence: str, *, follow: bool = True, weight: float = 1.0
) -> Verdict:
    """Returns the verdict with one more reason and what speaks for it; not to `follow` can't be taken back."""
    return structs.replace(
        verdict,
        follow=verdict.follow and follow,
        reasons=[*verdict.reasons, reason],
        evidence={**verdict.evidence, reason: evidence},
        weight=verdict.weight * weight,
    )


def with_few_links(verdict: Verdict, found: int) -> Verdict:
    """Returns the verdict on a page of a domain that nobody vouches for, of which not all links are followed."""
    evidence = f"nobody vouches for its domain, so that of {found} new links {LINKS_OF_UNKNOWN} are followed"
    return with_reason(verdict, Reason.LINKS_CUT, evidence)


def with_flood(verdict: Verdict, count: int) -> Verdict:
    """Returns the verdict on a page of a host that led to too many URLs today: its own links are found tomorrow."""
    evidence = f"its host led to too many new URLs that day, so that {count} links to it wait for the next one"
    return with_reason(verdict, Reason.FLOOD, evidence)


def with_twin(verdict: Verdict, href: str, similarity: float, *, is_own_word: bool = False) -> Verdict:
    """Returns the verdict on a page that says what the one at `href` says; `is_own_word`: and names it itself."""
    evidence = f"{similarity:.0%} of what it says is said by {href}"
    evidence += ", which it names as the page it is a copy of" if is_own_word else ""
    marked = with_reason(verdict, Reason.NEAR_DUPLICATE, evidence, weight=DUPLICATE_WEIGHT)
    return structs.replace(marked, duplicate_of=href)


def with_copy(verdict: Verdict, href: str) -> Verdict:
    """Returns the verdict on a page that says to the last word what the one of another host at `href` says."""
    marked = with_reason(verdict, Reason.COPY, f"all that it says is said by {href}")
    return structs.replace(marked, duplicate_of=href)


def own_twin(reasons: Collection[Reason], duplicate_of: str | None) -> str | None:
    """Returns the page of its own domain that a page is a copy of; None if that is on another one, or there is none."""
    return None if Reason.COPY in reasons else duplicate_of
