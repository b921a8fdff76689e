"""All traps by name, and the corner that each makes of a folder."""

from __future__ import annotations

from functools import partial

from skitter.simweb.judged.part import Corner
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.traps import choices, forms, listings, mazes, odd, times
from skitter.simweb.judged.traps.ground import Ground, Trap

IN_FOLDER: dict[str, Trap] = {
    "empty_calendar": times.empty_calendar,
    "event_calendar": times.event_calendar,
    "facets_by_query": listings.facets_by_query,
    "facets_by_path": listings.facets_by_path,
    "sort_orders": listings.sort_orders,
    "search": listings.search,
    "tags": listings.tags,
    "ranges": listings.ranges,
    "related": listings.related,
    "session_in_query": forms.session_in_query,
    "session_in_path": forms.session_in_path,
    "deeper": forms.deeper,
    "deeper_by_turns": forms.deeper_by_turns,
    "tarpit": times.tarpit,
    "babble": times.babble,
    "chain": times.chain,
    "echo": forms.echo,
    "redirects": forms.redirects,
    "endless_redirects": forms.endless_redirects,
    "growing": forms.growing,
    "return_to": forms.return_to,
    "variants": forms.variants,
    "polls": forms.polls,
}
AT_TOP: dict[str, Trap] = {
    "comparison": choices.comparison,
    "revisions": choices.revisions,
    "dashes": choices.dashes,
    "open_tree": choices.open_tree,
    "pairs_in_path": choices.pairs_in_path,
    "hits": choices.hits,
    "out_and_back": choices.out_and_back,
    "markov": mazes.markov,
    "sign_maze": mazes.sign_maze,
    "agenda": mazes.agenda,
    "tiles": mazes.tiles,
    "any_id": mazes.any_id,
    "visitor_in_path": mazes.visitor_in_path,
    "stamped": mazes.stamped,
    "iso_weeks": odd.iso_weeks,
    "cursors": odd.cursors,
    "growing_redirects": odd.growing_redirects,
    "trail": odd.trail,
    "matrix": odd.matrix,
    "cases": odd.cases,
    "slashes": odd.slashes,
    "degrees": odd.degrees,
    "sliders": odd.sliders,
    "wiki_actions": odd.wiki_actions,
    "signed_maze": odd.signed_maze,
}
"""Those that are in a folder at the top of their host."""
TRAPS: dict[str, Trap] = {**IN_FOLDER, **AT_TOP}
WILDCARD = "wildcard"
"""The one trap that is no folder: every name below a domain answers, see `wild`."""
FOLDERS = ("x", "app", "more", "portal", "go", "service")


def corner(kind: str, prose: Prose, *key: object) -> Corner:
    """Returns a trap in a folder of its own."""
    ground = Ground(prose, "/", (*key, kind))
    folder = f"/{ground.one(*FOLDERS)}" if kind in IN_FOLDER else ""
    at = f"{folder}/{prose.word('corner', kind)}/"
    return Corner(kind, at, partial(TRAPS[kind], ground._replace(at=at)))
