"""What a shard notes of slots that leave it and come to it, and what goes with them. Pure. See docs/formats/log.md.

A *handover* takes slots from one shard, or from a folder, to another shard. What is known of their domains goes in
*bundles* of entries. A handover that broke off is begun again, and its next *attempt* has bundles of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct, structs

from skitter.schedule.share import Share
from skitter.shard import keys
from skitter.url.routes import FIRST_EPOCH, SLOTS, Place
from skitter.url.spread import MOST_PARTS, PART, PART_SLOTS, parts_of, slot_of

VERSION = 2
WITHOUT_PARTS = 1
"""The version of what a shard knows of its slots as long as none of its domains is in parts."""
_HEADS = bytes((WITHOUT_PARTS,)), bytes((VERSION,))
ID = 16
REMEMBERED = 1000
"""Handovers that have come to a shard, by their ids: each comes once, however often it is told."""

_KNOWN = {bytes((letter,)) for letter in b"uhcrqtvwisbdelxykjzangfpR"}
"""Kinds of entries that travel."""


class Bundle(Struct, frozen=True, array_like=True, tag="bundle"):
    """Entries of a store that are on their way to a shard. They count when the handover is told to be complete."""

    handover: bytes
    attempt: bytes
    number: int
    entries: Sequence[tuple[bytes, bytes]]


class HandedOver(Struct, frozen=True, array_like=True, tag="handed over"):
    """From here on slots are the reader's: all bundles of this attempt came before, and their sender has let go."""

    handover: bytes
    attempt: bytes
    bundles: int
    epochs: Sequence[tuple[int, int]] = ()  # slot, epoch
    opened: int = 0  # how often the store was that they come from: serials go on from there
    share: Share = Share()
    purged: int = 0  # URLs that were purged there, ever
    spread: dict[str, int] = {}  # domains that are in parts, as far as the sender knows
    parts: dict[int, Place] = {}  # and where their parts are, as far as it knows


class Asked(Struct, frozen=True, array_like=True, tag="move"):
    """What the operator wants: that slots go to another shard; no slots: about half of the shard."""

    handover: bytes
    to: int
    slots: Sequence[int] = ()


class Spread(Struct, frozen=True, array_like=True, tag="spread"):
    """What the operator wants: that the hosts of a domain are dealt out to parts, each of which goes to a shard."""

    handover: bytes
    domain: str
    over: Sequence[int]  # the shard of each part


class Leaving(Struct, frozen=True, array_like=True):
    """Slots that are another shard's: it is told so, then what is left of them here is removed."""

    to: int
    message: HandedOver


class Moves(Struct, frozen=True, array_like=True):
    """What a shard knows of its slots: kept under `mmoves`, and changed with what it speaks of."""

    asked: Sequence[Asked | Spread] = ()
    leaving: Leaving | None = None
    coming: Sequence[HandedOver] = ()
    places: dict[int, Place] = {}  # of slots that have come or gone
    had: Sequence[bytes] = ()
    spread: dict[str, int] = {}  # domains that are in parts, and in how many

    @property
    def is_pending(self) -> bool:
        """Whether there is anything to do before the shard is worked on."""
        return bool(self.asked or self.leaving or self.coming)


NO_MOVES = Moves()
_encoder = msgspec.msgpack.Encoder()
_moves = msgspec.msgpack.Decoder(Moves)


def encode_moves(moves: Moves) -> bytes:
    """Returns the bytes of what a shard knows of its slots."""
    has_parts = moves.spread or any(isinstance(one, Spread) for one in moves.asked)
    return _HEADS[bool(has_parts)] + _encoder.encode(moves)


def decode_moves(raw: bytes | None) -> Moves:
    """Returns what a shard knows of its slots; ValueError if it is something else."""
    if raw is None:
        return NO_MOVES
    if raw[:1] not in _HEADS:
        raise ValueError(f"moves of version {raw[:1].hex()}, not {VERSION}")
    return _moves.decode(memoryview(raw)[1:])


def is_sound(message: Bundle | HandedOver | Asked | Spread) -> bool:
    """Whether a message can be what somebody sent."""
    if len(message.handover) != ID:
        return False
    if isinstance(message, Asked):
        return 0 <= message.to < SLOTS and all(map(_is_slot, message.slots))
    if isinstance(message, Spread):
        is_few = 1 < len(message.over) <= MOST_PARTS
        return is_few and PART not in message.domain and all(0 <= shard < SLOTS for shard in message.over)
    if len(message.attempt) != ID:
        return False
    if isinstance(message, Bundle):
        return 0 <= message.number < 1 << 32 and all(key[:1] in _KNOWN for key, _ in message.entries)
    if not all(1 < parts <= MOST_PARTS for parts in message.spread.values()) or not all(map(_is_slot, message.parts)):
        return False
    return message.bundles >= 0 and all(_is_slot(slot) and epoch > 0 for slot, epoch in message.epochs)


def _is_slot(slot: int) -> bool:
    return 0 <= slot < SLOTS + PART_SLOTS


def bundle_prefix(handover: bytes) -> bytes:
    """Returns what the keys of a handover's bundles begin with, while they wait in the store."""
    return keys.BUNDLES + handover


def bundle_key(bundle: Bundle) -> bytes:
    """Returns where a bundle waits in the store."""
    return bundle_prefix(bundle.handover) + bundle.attempt + bundle.number.to_bytes(4, "big")


def with_asked(moves: Moves, asked: Asked | Spread) -> Moves:
    """Returns the moves with one more that is wanted, once."""
    known = {one.handover for one in moves.asked}
    if moves.leaving is not None:
        known.add(moves.leaving.message.handover)
    if asked.handover in known or asked.handover in moves.had:
        return moves
    return structs.replace(moves, asked=[*moves.asked, asked])


def with_coming(moves: Moves, message: HandedOver) -> Moves:
    """Returns the moves with slots that have come, once."""
    if message.handover in moves.had or any(one.handover == message.handover for one in moves.coming):
        return moves
    return structs.replace(moves, coming=[*moves.coming, message])


def come(moves: Moves, shard: int) -> Moves:
    """Returns the moves after the first of those that came is in the store."""
    message, *others = moves.coming
    places = dict(moves.places)
    for slot, place in message.parts.items():
        if slot not in places or places[slot].epoch < place.epoch:
            places[slot] = place
    places |= {slot: Place(epoch, shard) for slot, epoch in message.epochs}
    spread = message.spread | moves.spread
    return structs.replace(moves, coming=others, places=places, had=_with_had(moves, message.handover), spread=spread)


def in_parts(moves: Moves, asked: Spread, shard: int, then: Sequence[Asked]) -> Moves:
    """Returns the moves from the moment on in which a domain of the shard is in parts, which are to go to others."""
    slots = map(slot_of, parts_of(asked.domain, len(asked.over)))
    places = moves.places | {slot: Place(FIRST_EPOCH, shard) for slot in slots}
    others = [one for one in moves.asked if one.handover != asked.handover]
    spread = moves.spread | {asked.domain: len(asked.over)}
    had = _with_had(moves, asked.handover)
    return structs.replace(moves, asked=[*others, *then], places=places, had=had, spread=spread)


def parts_known(moves: Moves) -> dict[int, Place]:
    """Returns where the parts of domains are, as far as a shard knows."""
    return {slot: place for slot, place in moves.places.items() if slot >= SLOTS}


def left(moves: Moves, leaving: Leaving) -> Moves:
    """Returns the moves from the moment on in which slots are another shard's. That is the point of no return."""
    handover = leaving.message.handover
    places = moves.places | {slot: Place(epoch, leaving.to) for slot, epoch in leaving.message.epochs}
    asked = [one for one in moves.asked if one.handover != handover]
    return structs.replace(moves, asked=asked, leaving=leaving, places=places)


def cleared(moves: Moves) -> Moves:
    """Returns the moves after nothing is left here of the slots that have gone."""
    assert moves.leaving is not None
    return structs.replace(moves, leaving=None, had=_with_had(moves, moves.leaving.message.handover))


def refused(moves: Moves, handover: bytes) -> Moves:
    """Returns the moves without one that can't be."""
    asked = [one for one in moves.asked if one.handover != handover]
    return structs.replace(moves, asked=asked, had=_with_had(moves, handover))


def next_epochs(moves: Moves, slots: Sequence[int]) -> list[tuple[int, int]]:
    """Returns the epochs that slots have after their next move."""
    return [(slot, moves.places[slot].epoch + 1 if slot in moves.places else FIRST_EPOCH) for slot in slots]


def _with_had(moves: Moves, handover: bytes) -> Sequence[bytes]:
    return [*moves.had, handover][-REMEMBERED:]
