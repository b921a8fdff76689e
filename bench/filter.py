"""How often the filters of the shards do not tell a new URL, as a crawl grows: `python bench/filter.py 10`.

Millions of fingerprints come to the shards of one node, which are filled one after the other; at each doubling, others
are asked for that never came. A filter that has grown is built anew from the keys of its shard, as from its store.
"""

from __future__ import annotations

import argparse
import random
from bisect import bisect_right

from skitter.shard.filter import UrlFilter

SHARDS, ASKED, SLICE = 64, 20_000, 2000
WORST = 0.01


class Memory:
    """Memory without end, counted."""

    def __init__(self) -> None:
        self.held = self.most = 0

    def take_memory(self, size: int) -> bool:
        self.held += size
        self.most = max(self.most, self.held)
        return True

    def give_memory_back(self, size: int) -> None:
        self.held -= size


def rebuilt(made: UrlFilter, keys: list[bytes]) -> None:
    """Builds a filter that has drifted anew."""
    if not made.is_building:
        return
    keys.sort()
    while made.is_begun(is_committed=True):
        start = bisect_right(keys, made.built_to) if made.built_to else 0
        some = keys[start : start + SLICE]
        made.build(some, is_last=len(some) < SLICE)


def filled(number: int, dice: random.Random, memory: Memory, worst: dict[int, float]) -> None:
    """Fills the filter of one shard, and notes how often it was wrong at most, by how many URLs it held."""
    made, keys, step = UrlFilter(memory), list[bytes](), 1000  # type: ignore[arg-type]  # of the port only this is asked
    made.build([], is_last=True)
    others = [dice.randbytes(16) for _ in range(ASKED)]
    while len(keys) < number:
        some = [dice.randbytes(16) for _ in range(min(step, number - len(keys)))]
        keys += some
        for key in some:
            made.add(key)
        wrong = 1 - sum(map(made.rules_out, others)) / ASKED
        size = 1 << (len(keys) - 1).bit_length()
        worst[size] = max(worst.get(size, 0.0), wrong)
        rebuilt(made, keys)
        step = max(1000, len(keys) // 8)
    assert not any(map(made.rules_out, keys)), "a known URL was taken for new"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("millions", type=float, nargs="?", default=10.0)
    urls = int(1_000_000 * parser.parse_args().millions)
    memory, worst, dice = Memory(), dict[int, float](), random.Random(1)
    for _ in range(SHARDS):
        filled(urls // SHARDS, dice, memory, worst)
    for size, wrong in sorted(worst.items()):
        print(f"a shard of up to {size:>9,} URLs: wrong {100 * wrong:.2f} % of the time at most")
    print(f"{urls:,} URLs in {SHARDS} shards: {memory.held / 1e6:.1f} MB held, {memory.most / 1e6:.1f} MB at the most")
    raise SystemExit(max(worst.values()) > WORST)


if __name__ == "__main__":
    main()
