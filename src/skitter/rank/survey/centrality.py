"""How central a node of a graph is: PageRank, and harmonic centrality. Pure; the kernel does the same."""

from __future__ import annotations

from collections.abc import Sequence

from skitter.rank.survey.graph import Vouchers

DAMPING = 0.85
ENOUGH = 1e-6
"""PageRank is found when a round changes less of it, all nodes together."""

ROUNDS = 100
LEVELS = 32
"""Further away than this, nobody is looked for: a thirtieth of a link is nothing."""

EXACT = 1024
"""A graph of no more nodes is measured from each of them; a larger one from `SOURCES` that are spread over it."""

SOURCES = 256


def pagerank(vouchers: Vouchers, start: Sequence[float]) -> list[float]:
    """Returns the share of the time that a walker is at each node who follows links, and at times starts anew.

    Where it starts is drawn by `start`, which adds up to 1: all nodes alike for PageRank, the seeds for trust.
    """
    out = [0] * len(vouchers)
    for sources in vouchers:
        for source in sources:
            out[source] += 1
    ranks = list(start)
    for _ in range(ROUNDS):
        passed = [rank / many if many else 0.0 for rank, many in zip(ranks, out, strict=True)]
        stuck = sum(rank for rank, many in zip(ranks, out, strict=True) if not many)
        anew = 1 - DAMPING + DAMPING * stuck
        after = [
            anew * begin + DAMPING * sum(passed[source] for source in sources)
            for begin, sources in zip(start, vouchers, strict=True)
        ]
        change = sum(abs(one - other) for one, other in zip(after, ranks, strict=True))
        ranks = after
        if change < ENOUGH:
            break
    return ranks


def harmonic(vouchers: Vouchers) -> list[float]:
    """Returns, from 0 to 1, how near the other nodes are to each: the mean of one over the links from there to here.

    Of a large graph, that is a mean over a sample of the others (Eppstein and Wang 2001): all searches of the sample go
    through the graph at the same time, a bit of a number for each, so that one look at an edge serves all of them.
    """
    many = len(vouchers)
    sources = sources_of(many)
    arrived = [0] * many  # a bit for each source that has come here
    for bit, source in enumerate(sources):
        arrived[source] |= 1 << bit
    front, found = list(arrived), [0.0] * many
    for level in range(1, LEVELS + 1):
        reached = [0] * many
        for node, nearer in enumerate(vouchers):
            for source in nearer:
                reached[node] |= front[source]
            reached[node] &= ~arrived[node]
        if not any(reached):
            break
        for node, new in enumerate(reached):
            arrived[node] |= new
            found[node] += new.bit_count() / level
        front = reached
    chosen = set(sources)
    return [sum_ / max(1, len(sources) - (node in chosen)) for node, sum_ in enumerate(found)]


def sources_of(many: int) -> list[int]:
    """Returns the nodes that a graph of so many is measured from."""
    if many <= EXACT:
        return list(range(many))
    return [place * many // SOURCES for place in range(SOURCES)]
