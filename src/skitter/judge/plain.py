"""A page against whose corners there is nothing to say, as nearly all are: counted by the kernel in one go. Pure.

It counts as `judge.counting` and `judge.traps` do. Where a corner comes near to one of the ways that end it, or to a
sounding, or is closed already, it leaves the page to them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from skitter.judge import counting, orders, parameters
from skitter.judge.answers import PATIENCE
from skitter.judge.closing import LED
from skitter.judge.corner import LONGEST
from skitter.judge.counting import Corner
from skitter.judge.novelty import KEPT
from skitter.judge.suspicion import FLOOD
from skitter.judge.traps import CORNERS, Traps
from skitter.kernel import IS_NATIVE
from skitter.settings import DAY

if IS_NATIVE:
    from skitter import _native

    _POLICY: dict[str, float | Sequence[int]] = {
        "stale": counting.STALE,
        "weak": counting.WEAK,
        "new": counting.NEW,
        "usual": counting.USUAL,
        "copied": counting.COPIED,
        "credit": counting.CREDIT,
        "much": counting.MUCH,
        "many": counting.MANY,
        "kept": KEPT,
        "orders": orders.MOST,
        "choices": orders.CHOICES,
        "parameters": parameters.MOST,
        "longest": LONGEST,
        "led": LED,
        "patience": PATIENCE,
        "corners": CORNERS,
        "flood": FLOOD,
        "day": DAY,
    }
    _PLACES = {name: place for place, name in enumerate(Corner.__struct_fields__)}
    _after_page = _native.Visits(_POLICY, _PLACES, Corner, Traps, structs.astuple).after_page


def after_plain_page(
    traps: Traps,
    href: str,
    parent: str | None,
    said: bytes | None,
    inside: list[str],
    *,
    elsewhere: int,
    links: int,
    is_twin: bool,
    common: Sequence[int],
    now: float,
    limit: int,
    haste: int,
) -> Traps | None:
    """Returns what is remembered after a page, if that is all there is to it; None: see `judge.traps`.

    What the page says is told by its hashes, None if it is none; `inside` are new links of it to its own host.
    """
    if not IS_NATIVE or traps.closed:
        return None
    return _after_page(traps, href, parent, said, inside, elsewhere, links, is_twin, common, now, limit, haste)
