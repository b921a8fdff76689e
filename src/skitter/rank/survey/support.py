"""Who stands behind a site: its vouchers, told from those that only vouch for each other. Pure.

In-degree is cheap to buy: a farm of forty domains that link to one another gives each of them thirty-nine links. What
is dear is to be linked from those whom others link to (Cui et al. 2018 rank by in-degree at two levels). So:

- A voucher **depends** on a site if four in five of its own vouchers vouch for the site's domain too, or are it: all
  that it says was said already.
- A voucher that depends on a site, and that the site links back to, is in the site's **ring**. In a ring that holds a
  seed the operator has a say: its members count. That is how a web of few honest sites looks, all linked to all.
- A voucher that depends on it without a link back is a **hanger-on**, unless it is a seed: the operator vouches for
  those. All the others are its **vouchers**.
- **Supporters** are the domains that link to the vouchers, but for the site itself, its ring and its hangers-on; the
  operator is one.

Looks are bounded, so that the time is linear: of a voucher's own vouchers a sample is asked, and supporters are counted
up to a number beyond which nobody asks how many they are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import NamedTuple

from skitter.rank.survey.graph import Vouchers

DEPENDS = 0.8
ASKED = 32
"""Own vouchers of a voucher that are looked at."""

MOST = 200
"""Supporters that are counted."""

LOOKED_AT = 2000
"""Vouchers of vouchers that are looked at to find them."""


class Support(NamedTuple):
    """Who stands behind one site."""

    vouchers: int = 0
    hangers_on: int = 0
    ring: int = 0
    supporters: int = 0


def support(sites: Vouchers, own: Sequence[int], vouchers: Vouchers, seeds: Collection[int]) -> list[Support]:
    """Returns who stands behind each of `sites`: the domains that vouch for each, and `own`, each one's domain.

    `vouchers` is the graph of domains, and `seeds` are those that the operator vouches for.
    """
    return [_of(near, domain, vouchers, seeds) for near, domain in zip(sites, own, strict=True)]


def _of(near: Sequence[int], own: int, vouchers: Vouchers, seeds: Collection[int]) -> Support:
    inside = {own, *vouchers[own]}
    independent, ring, hangers_on = [], [], []
    for voucher in near:
        if not _depends(vouchers[voucher], inside):
            independent.append(voucher)
        elif _has(vouchers[voucher], own):
            ring.append(voucher)
        elif voucher in seeds:
            independent.append(voucher)
        else:
            hangers_on.append(voucher)
    if any(voucher in seeds for voucher in ring):
        independent, ring = [*independent, *ring], []
    supporters = _supporters(independent, {own, *ring, *hangers_on}, vouchers, seeds)
    return Support(len(independent), len(hangers_on), len(ring), supporters)


def _depends(own_vouchers: Sequence[int], inside: Collection[int]) -> bool:
    asked = sample(own_vouchers)
    return sum(one in inside for one in asked) >= DEPENDS * len(asked)


def sample(nodes: Sequence[int]) -> Sequence[int]:
    """Returns all of `nodes`, or `ASKED` that are spread over them."""
    if len(nodes) <= ASKED:
        return nodes
    return [nodes[place * len(nodes) // ASKED] for place in range(ASKED)]


def _has(nodes: Sequence[int], node: int) -> bool:
    place = bisect_left(nodes, node)
    return place < len(nodes) and nodes[place] == node


def _supporters(
    independent: Sequence[int], excluded: Collection[int], vouchers: Vouchers, seeds: Collection[int]
) -> int:
    found: set[int] = set()
    operator = any(voucher in seeds for voucher in independent)
    left = LOOKED_AT
    for voucher in independent:
        for one in vouchers[voucher]:
            if not left or len(found) + operator >= MOST:
                return len(found) + operator
            left -= 1
            if one not in excluded:
                found.add(one)
    return len(found) + operator
