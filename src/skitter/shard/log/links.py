"""What stands in a shard's `links` partition: URLs found elsewhere, and the operator's instructions. Pure.

One byte of version, then MessagePack, see docs/formats/log.md. Whoever owns the shard takes them in their order; how
far it has come is written with what they changed, so that each counts once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec
from msgspec import Struct

from skitter.messages import Discovered
from skitter.ports import Instruction, Release, Reserve
from skitter.shard import keys
from skitter.shard.log.codec import Unreadable
from skitter.shard.moving.record import Asked, Bundle, HandedOver, Spread, is_sound
from skitter.shard.records import TRIMMED, URLS

VERSION = 2
READ = (1, VERSION)
"""Version 1 had no `safe`, and nobody asked for anything."""
TOKEN = 8
"""Bytes that tell the answers to one node's questions apart."""
MAX_LINKS = 500
"""URLs in one message."""

_HEAD = bytes((VERSION,))
_MARK = len(keys.url_key(b""))


class Found(Struct, frozen=True, array_like=True, tag="found"):
    """URLs that are offered to the shard."""

    links: Sequence[Discovered]


class Told(Struct, frozen=True, array_like=True, tag="told"):
    """What the operator wants of the shard; as JSON, in which instructions are known everywhere."""

    instruction: bytes


class Safe(Struct, frozen=True, array_like=True, tag="safe"):
    """An archive file with pages of the shard is safe, whatever happens to its node."""

    file: str


class Lost(Struct, frozen=True, array_like=True, tag="lost"):
    """An archive file with pages of the shard is lost, unless a message before this one says that it is safe.

    `marks`: fingerprints of its pages that have left the shard which knew of the file; none: those that are noted here.
    """

    file: str
    marks: Sequence[bytes] = ()


class Question(Struct, frozen=True, array_like=True, tag="asked"):
    """Another node wants a host of the shard, or gives it back. The answer goes to the links of a shard of its own.

    `handed`: how often it was handed on, since the host had moved.
    """

    back: int
    token: bytes
    frame: Reserve | Release
    handed: int = 0


class Answer(Struct, frozen=True, array_like=True, tag="answered"):
    """What became of that: 0 if it is done and safe, else how long to wait before asking again."""

    token: bytes
    wait: float


LinkMessage: TypeAlias = Found | Told | Safe | Lost | Question | Answer | Bundle | HandedOver | Asked | Spread

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(LinkMessage)
_instructions = msgspec.json.Decoder(Instruction)


def encode(message: LinkMessage) -> bytes:
    """Returns the bytes of a message."""
    return _HEAD + _encoder.encode(message)


def decode(raw: bytes) -> LinkMessage | Unreadable:
    """Returns the message in `raw`, or why there is none."""
    if not raw or raw[0] not in READ:
        return Unreadable(f"it is of version {raw[0]}, and this Skitter knows {VERSION}" if raw else "it is empty")
    try:
        message: LinkMessage = _decoder.decode(memoryview(raw)[1:])
    except (ValueError, RecursionError) as error:
        return Unreadable(f"it is no message ({error})")
    if isinstance(message, Bundle | HandedOver | Asked | Spread) and not is_sound(message):
        return Unreadable("it is no handover as one can be")
    return message


def told(instruction: Instruction) -> bytes:
    """Returns the message that an instruction is."""
    return encode(Told(msgspec.json.encode(instruction)))


def instruction_of(message: Told) -> Instruction | Unreadable:
    """Returns what the operator wants, or why that can't be said."""
    try:
        instruction: Instruction = _instructions.decode(message.instruction)
    except (ValueError, RecursionError) as error:
        return Unreadable(f"it is no instruction ({error})")
    return instruction


def messages_of(links: Sequence[Discovered]) -> list[bytes]:
    """Returns the messages that so many links are."""
    return [encode(Found(links[start : start + MAX_LINKS])) for start in range(0, len(links), MAX_LINKS)]


def offered_again(changes: Mapping[bytes, bytes | None]) -> list[Discovered]:
    """Returns the URLs that changes to a shard are about, to be offered to whoever owns it now.

    The changes themselves are void, since the shard was lost; but pages of other shards may be settled that had these
    as links. To offer one that is known changes nothing.
    """
    found = []
    for key, raw in changes.items():
        if raw is None or not key.startswith(b"u"):
            continue
        url = URLS.decode(raw)
        if url is not TRIMMED:
            found.append(
                Discovered(
                    url.href,
                    url.host,
                    key[_MARK:],
                    url.depth,
                    url.priority,
                    url.parent,
                    url.errand,
                    url.sitemap_modified,
                    url.chain,
                )
            )
    return found
