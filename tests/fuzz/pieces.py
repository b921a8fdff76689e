"""Fuzz inputs that are a script and a subject: the script says where the subject is cut or what is done to it."""

from __future__ import annotations

SCRIPT = 8


def scripted(data: bytes) -> tuple[bytes, bytes]:
    """Returns the script (a first byte says how long, eight at the most) and the subject."""
    length = data[0] % (SCRIPT + 1) if data else 0
    return data[1 : 1 + length], data[1 + length :]


def cut_up(script: bytes, subject: bytes) -> list[bytes]:
    """Returns `subject` in pieces of the lengths in `script`, taken in turn; the last piece is what is left."""
    pieces, at = [], 0
    for length in script:
        pieces.append(subject[at : at + length + 1])
        at += length + 1
    return [piece for piece in (*pieces, subject[at:]) if piece]


def damaged(script: bytes, subject: bytes) -> bytes:
    """Returns `subject` with bytes changed, taken out or put in, and the end cut off, as `script` says."""
    changed = bytearray(subject)
    for place, deed in zip(script[::2], script[1::2], strict=False):
        at = place * max(len(changed) - 1, 0) // 255
        if deed < 64:
            changed[at : at + 1] = bytes([deed])
        elif deed < 128:
            del changed[at : at + deed - 63]
        elif deed < 192:
            changed[at:at] = subject[: deed - 127]
        else:
            del changed[at:]
    return bytes(changed)


def first_difference(one: bytes, other: bytes) -> int:
    """Returns how many bytes the two have in common at their beginnings."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
