"""What is thought of a host, told in sentences."""

from __future__ import annotations

from collections.abc import Iterable

from skitter.inspection.judged import JudgedHost
from skitter.words.figures import counted, when

RULES = {
    "used": "makes no difference",
    "learning": "may make no difference",
    "broken": "makes a difference now and then",
    "refused": "is not left out, as you said",
}

MIRRORS = {
    "used": "it is taken for another name of that host",
    "learning": "that is not sure enough yet",
    "broken": "but not all of them, so it is a host of its own",
    "refused": "it is a host of its own, as you said",
}


def in_words(found: JudgedHost, now: float) -> Iterable[str]:
    """Yields what is thought of a host, for people."""
    if found.host.worth is not None:
        yield f"By the nightly look it is worth {found.host.worth:.2f}, of 1 at the most."
    for closed in found.closed:
        yield f"{closed.corner} was closed as a trap {when(closed.closed_at, now)}: {closed.why}."
        yield f"  One URL of it is looked at again {when(closed.review_at, now)}."
    for rule in found.rules:
        yield f"The {rule.piece} `{rule.name}` {RULES[rule.standing]}: {counted(rule.agreed, 'page')} agreed."
    if (mirror := found.mirror) is not None:
        paths = counted(mirror.agreed, "path says", "paths say")
        yield f"It is a mirror of `{mirror.original}`, {paths} the same on both: {MIRRORS[mirror.standing]}."
    for suspect in found.suspects:
        yield f"{suspect.corner} comes after other pages: {suspect.why}."
    if found.is_flooding:
        yield "So many of its URLs were found today that no more are added: see `skitter review list`."
    if found.hub:
        yield f"It names a WebSub hub, which tells whoever asks there of what is new: {found.hub}"
    if not (found.closed or found.rules or found.mirror or found.suspects):
        yield "Nothing is held against it, and nothing was learnt about its URLs."
