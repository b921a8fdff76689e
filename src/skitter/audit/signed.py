"""A text with a signature at its end, and whether it holds. Pure but for the key.

-----SIGNED BY SKITTER-----
key: B64URL             the public half of an Ed25519 key
keyid: B64URL           its thumbprint (RFC 8037, A.3)
directory: https://…    where the key is published
signature: BASE64       of every byte before the first of these lines
"""

from __future__ import annotations

import base64
import binascii

from msgspec import Struct

from skitter.fetch.signing import DIRECTORY, SigningKey, b64, b64url, thumbprint, verifies

MARK = "-----SIGNED BY SKITTER-----"
NAMES = ("key", "keyid", "directory", "signature")


class Signed(Struct, frozen=True):
    """What is to say of a signature: whether it holds, by which key, and where that should be found."""

    holds: bool
    keyid: str = ""
    directory: str = ""
    why: str = ""  # it does not


def with_signature(text: str, key: SigningKey, agent: str) -> str:
    """Returns a text, signed by whoever publishes `key` at `agent`."""
    lines = [
        MARK,
        f"key: {b64url(key.public)}",
        f"keyid: {key.keyid}",
        f"directory: {agent}{DIRECTORY}",
        f"signature: {b64(key.sign(text.encode()))}",
    ]
    return text + "\n".join(lines) + "\n"


def signature_of(raw: bytes) -> Signed:
    """Returns what is to say of the signature of a text."""
    text, mark, tail = raw.rpartition(f"{MARK}\n".encode())
    if not mark:
        return Signed(holds=False, why="it is not signed")
    fields = dict(line.partition(": ")[::2] for line in tail.decode("utf-8", "replace").splitlines())
    if tuple(fields) != NAMES:
        return Signed(holds=False, why=f"after {MARK} there must be {', '.join(NAMES)}")
    try:
        public = base64.urlsafe_b64decode(fields["key"] + "=" * (-len(fields["key"]) % 4))
        signature = base64.b64decode(fields["signature"], validate=True)
    except (binascii.Error, ValueError):
        return Signed(holds=False, why="key or signature is not what it should be")
    if thumbprint(public) != fields["keyid"]:
        return Signed(holds=False, why="keyid is not the thumbprint of the key")
    if not verifies(public, signature, text):
        return Signed(holds=False, why="the text was changed after it was signed, or somebody else signed it")
    return Signed(holds=True, keyid=fields["keyid"], directory=fields["directory"])
