"""Mirrors: hosts that are another one under a second name. What is known of one, and what follows for its URLs. Pure.

Whose pages are copies of whose is found by the nightly look, which also compares the two path by path: that is all that
an alias is verified by, no page is fetched for it. If all of enough paths say the same on both, the host is an alias: a
URL of it stands for the same path of the original. Until `SAMPLES` paths have agreed, one URL in `SAMPLED` is fetched
all the same; it may be the first that differs. One path that differs ends the alias, for as long as the original is
that one.
"""

from __future__ import annotations

from msgspec import Struct, structs

from skitter.judge.dust import ENOUGH, SAMPLED, SAMPLES


class Mirror(Struct, frozen=True, array_like=True):
    """A host of which another one has all pages, and what speaks for that."""

    original: str  # scheme, name and port under which the other one was asked
    agreed: int = 0  # paths that say the same on both, each something else
    is_broken: bool = False  # a path says something else
    is_refused: bool = False  # the operator does not want it


def holds(mirror: Mirror) -> bool:
    """Whether the host is to be taken for an alias."""
    return mirror.agreed >= ENOUGH and not mirror.is_broken and not mirror.is_refused


def is_sample(mirror: Mirror, fingerprint: bytes) -> bool:
    """Whether a URL is fetched to see whether the two hosts are still alike."""
    return mirror.agreed < SAMPLES and fingerprint[0] % SAMPLED == 0


def at_original(mirror: Mirror, href: str) -> str:
    """Returns a normalised URL of the mirror as one of the original."""
    return f"{mirror.original}/{href.split('/', 3)[3]}"


def after_look(mirror: Mirror | None, original: str, agreed: int, differed: int) -> Mirror | None:
    """Returns what is known of a host after a nightly look: with no `original`, it is nobody's mirror any more."""
    if not original:
        return None if mirror is None else structs.replace(mirror, agreed=0)
    if mirror is None or mirror.original != original:
        mirror = Mirror(original, is_refused=mirror is not None and mirror.is_refused)
    return structs.replace(mirror, agreed=agreed, is_broken=mirror.is_broken or differed > 0)
