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

VERSION = 1
ID = 16
REMEMBERED = 1000
"""Handovers that have come to a shard, by their ids: each comes once, however often it is told."""

_HEAD = bytes((VERSION,))
_KNOWN = {bytes((letter,)) for letter in b"uhcrqtvwisbdelxykjzangfp"}
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


class Asked(Struct, frozen=True, array_like=True, tag="move"):
    """What the operator wants: that slots go to another shard; no slots: about half of the shard."""

    handover: bytes
    to: int
    slots: Sequence[int] = ()


class Leaving(Struct, frozen=True, array_like=True):
    """Slots that are another shard's: it is told so, then what is left of them here is removed."""

    to: int
    message: HandedOver


class Moves(Struct, frozen=True, array_like=True):
    """What a shard knows of its slots: kept under `mmoves`, and changed with what it speaks of."""

    asked: Sequence[Asked] = ()
    leaving: Leaving | None = None
    coming: Sequence[HandedOver] = ()
    places: dict[int, Place] = {}  # of slots that have come or gone
    had: Sequence[bytes] = ()

    @property
    def is_pending(self) -> bool:
        """Whether there is anything to do before the shard is worked on."""
        return bool(self.asked or self.leaving or self.coming)


NO_MOVES = Moves()
_encoder = msgspec.msgpack.Encoder()
_moves = msgspec.msgpack.Decoder(Moves)


def encode_moves(moves: Moves) -> bytes:
    """Returns the bytes of what a shard knows of its slots."""
    return _HEAD + _encoder.encode(moves)


def decode_moves(raw: bytes | None) -> Moves:
    """Returns what a shard knows of its slots; ValueError if it is something else."""
    if raw is None:
        return NO_MOVES
    if raw[:1] != _HEAD:
        raise ValueError(f"moves of version {raw[:1].hex()}, not {VERSION}")
    return _moves.decode(memoryview(raw)[1:])


def is_sound(message: Bundle | HandedOver | Asked) -> bool:
    """Whether a message can be what somebody sent."""
    if len(message.handover) != ID:
        return False
    if isinstance(message, Asked):
        return 0 <= message.to < SLOTS and all(0 <= slot < SLOTS for slot in message.slots)
    if len(message.attempt) != ID:
        return False
    if isinstance(message, Bundle):
        return 0 <= message.number < 1 << 32 and all(key[:1] in _KNOWN for key, _ in message.entries)
    return message.bundles >= 0 and all(0 <= slot < SLOTS and epoch > 0 for slot, epoch in message.epochs)


def bundle_prefix(handover: bytes) -> bytes:
    """Returns what the keys of a handover's bundles begin with, while they wait in the store."""
    return keys.BUNDLES + handover


def bundle_key(bundle: Bundle) -> bytes:
    """Returns where a bundle waits in the store."""
    return bundle_prefix(bundle.handover) + bundle.attempt + bundle.number.to_bytes(4, "big")


def with_asked(moves: Moves, asked: Asked) -> Moves:
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
    places = moves.places | {slot: Place(epoch, shard) for slot, epoch in message.epochs}
    return structs.replace(moves, coming=others, places=places, had=_with_had(moves, message.handover))


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
