"""What a budget would give a crawl: from what its folder knows of a sample of its pages. Nothing is scanned."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from skitter.frontier.again import LEAST_WEIGHT
from skitter.inspection.folder import Folder
from skitter.schedule.belief import unpacked
from skitter.schedule.planning import Plan, PlannedPage, plan
from skitter.settings import DAY

ENOUGH = 30
"""Pages of the sample that were seen again, from which on it is worth a plan."""
MOST = 500
"""Pages of the sample that are planned for: a second or two."""
SPANS = (30.0, 14.0, 7.0, 3.0, 1.0, 0.25)
"""Days in which each page is seen once in the mean: the budgets that are told if none is asked for."""


class Planned(Struct, frozen=True):
    """What budgets give, and what that rests on."""

    pages: int  # that are to be seen again
    sampled: int
    seen_again: int  # of these
    now: float  # visits a day that the crawl is set up for
    plans: list[Plan]  # none: there is too little to go by


def planned(folder: Folder, budgets: Sequence[float]) -> Planned:
    """Returns what so many visits a day would give; of usual budgets if none is named."""
    found, total, seen = list[PlannedPage](), 0, 0
    for shard in folder.shards():
        sample, pages = shard.kept_sample(), shard.kept_share().pages
        total += pages
        for fingerprint, one in sample.items():
            url = shard.url(fingerprint)
            if url is not None and url.watch is not None:
                seen += bool(url.watch.belief)
                stands_for = max(1.0, pages / len(sample))
                importance = max(LEAST_WEIGHT, url.priority)
                found.append(PlannedPage(unpacked(one.belief), importance, one.host_class, stands_for))
    now = total * DAY / folder.settings.schedule.every
    wanted = list(budgets) or sorted({now, *(total / days for days in SPANS)})
    plans = plan(found[:: -(-len(found) // MOST)], wanted) if seen >= ENOUGH else []
    return Planned(total, len(found), seen, now, plans)
