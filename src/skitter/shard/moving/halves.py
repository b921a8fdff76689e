"""Which slots are about half of a shard: by the URLs of their hosts."""

from __future__ import annotations

import asyncio
from collections import Counter

from skitter.shard.moving.bundles import AT_ONCE, Entries
from skitter.shard.records import STATES
from skitter.url.routes import Routes


async def half_of(store: Entries, routes: Routes) -> list[int]:
    """Returns slots with about half of the URLs of a shard; none if all are in one slot, which can't be split."""
    urls: Counter[int] = Counter()
    for number, (key, value) in enumerate(store.iterate(b"c")):
        urls[routes.slot_of_host(key[1:].decode())] += sum(STATES.decode(value))
        if number % AT_ONCE == AT_ONCE - 1:
            await asyncio.sleep(0)
    return halved(urls)


def halved(urls: Counter[int]) -> list[int]:
    """Returns slots that have about half of all URLs: the largest of each pair stays, and of the next one goes."""
    if len(urls) < 2:
        return []
    staying = going = 0
    found = []
    for slot, number in sorted(urls.items(), key=lambda one: (-one[1], one[0])):
        if going < staying:
            going += number
            found.append(slot)
        else:
            staying += number
    return found
