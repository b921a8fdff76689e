"""Domains that outgrew a shard: their hosts are dealt out to parts, and a part is a domain to all who write. Pure.

A part is called `domain#number`, which no domain can be: its turns, budgets and hosts that wait are kept under that
name, and it has a slot of its own, beyond those of whole domains, that moves as any other.
"""

from __future__ import annotations

from xxhash import xxh3_64_intdigest

PART = "#"
SLOTS = 4096
"""Slots of whole domains. Those of parts come after them."""
PART_SLOTS = 1 << 31
"""So many that two parts hardly ever have one slot; that they had would be no harm, they would move together."""
MOST_PARTS = 256


def part_of(domain: str, host: str, parts: int) -> str:
    """Returns the part of a spread domain that a host is in, for ever."""
    return f"{domain}{PART}{xxh3_64_intdigest(host.encode()) % parts}"


def parts_of(domain: str, parts: int) -> list[str]:
    """Returns the names of all parts of a domain."""
    return [f"{domain}{PART}{number}" for number in range(parts)]


def whole_of(name: str) -> str:
    """Returns the domain that a name is a part of, or is."""
    return name.partition(PART)[0]


def slot_of(name: str) -> int:
    """Returns the slot of a domain or of a part, for ever."""
    return slot_of_hash(xxh3_64_intdigest(name.encode()), is_part=PART in name)


def slot_of_hash(number: int, *, is_part: bool) -> int:
    """Returns the slot of a domain or of a part by the hash of its name."""
    return SLOTS + number % PART_SLOTS if is_part else number % SLOTS
