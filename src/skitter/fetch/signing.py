"""Who we are, provably: requests signed by Web Bot Auth, HTTP Message Signatures (RFC 9421) with an Ed25519 key.

A server that wants to know whether it is us that asks, and not somebody who took our name, reads where our public key
is to be found (`Signature-Agent`), and checks the signature with it. What is signed is whom we asked and who we say we
are, for a few minutes, with a nonce: the same signature never comes twice.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from skitter.clock import Clock
from skitter.errors import OperatorError
from skitter.settings import Settings

if TYPE_CHECKING:  # few crawls sign
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

DIRECTORY = "/.well-known/http-message-signatures-directory"
"""Where the public key lies, below the address that `Signature-Agent` names."""
DIRECTORY_TYPE = "application/http-message-signatures-directory+json"
VALID = 300
"""Seconds that a signature holds: longer than any dialling takes, and than clocks are off."""
LABEL = "sig1"
KEY = "identity.key_file"

_PLACE = re.compile(r"[A-Za-z0-9.:\[\]-]+")

Sign = Callable[[str], str]
"""From the authority that is asked to the header lines that say who asks."""


class SigningKey:
    """An Ed25519 key pair. `keyid` is the thumbprint of its public half (RFC 8037, A.3)."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self.sign: Callable[[bytes], bytes] = private.sign
        self.public = private.public_key().public_bytes_raw()
        self.keyid = thumbprint(self.public)

    def __repr__(self) -> str:
        return f"<SigningKey {self.keyid}>"


def signs_by(settings: Settings, clock: Clock) -> Sign | None:
    """Returns what signs requests; None if no key is configured. OperatorError if the key can't be used."""
    if not settings.identity.key_file:
        return None
    key, agent = read_key(Path(settings.identity.key_file)), agent_of(settings)
    return lambda authority: signature_lines(key, agent, authority, int(clock()), b64(os.urandom(32)))


def signature_lines(
    key: SigningKey, agent: str, authority: str, created: int, nonce: str, *, valid: int = VALID, label: str = LABEL
) -> str:
    """Returns the header lines of a request to `authority` by whoever publishes `key` at `agent`."""
    covered = [('"@authority"', authority.lower()), (f'"signature-agent";key="{label}"', f'"{agent}"')]
    params: dict[str, int | str] = {
        "created": created,
        "keyid": key.keyid,
        "alg": "ed25519",
        "expires": created + valid,
        "nonce": nonce,
        "tag": "web-bot-auth",
    }
    base, said = signature_base(covered, params)
    signature = b64(key.sign(base.encode("ascii")))
    return (
        f'Signature-Agent: {label}="{agent}"\r\nSignature-Input: {label}={said}\r\nSignature: {label}=:{signature}:\r\n'
    )


def signature_base(covered: Sequence[tuple[str, str]], params: dict[str, int | str]) -> tuple[str, str]:
    """Returns what is signed (RFC 9421, 2.5), and the value of Signature-Input: names of components with values."""
    said = "".join(f";{name}={value if isinstance(value, int) else _quoted(value)}" for name, value in params.items())
    inner = f"({' '.join(name for name, _ in covered)}){said}"
    return "".join(f"{name}: {value}\n" for name, value in covered) + f'"@signature-params": {inner}', inner


def agent_of(settings: Settings) -> str:
    """Returns the address below which our public key is found: the one that is set, or that of the contact page."""
    identity = settings.identity
    if identity.key_directory:
        return identity.key_directory
    contact = urlsplit(identity.contact)
    place = contact.netloc.rpartition("@")[2]
    if contact.scheme != "https" or _PLACE.fullmatch(place) is None:
        right = f"must be set, as https://crawler.example.org: the public key is looked for at {DIRECTORY} there"
        raise OperatorError("identity.key_directory", identity.key_directory, right)
    return f"https://{place}"


def key_directory(keys: Sequence[bytes]) -> bytes:
    """Returns the file to publish: these public keys as a JWK set."""
    told = [{**jwk(public), "kid": thumbprint(public), "use": "sig", "alg": "EdDSA"} for public in keys]
    return msgspec.json.format(msgspec.json.encode({"keys": told}), indent=2) + b"\n"


def jwk(public: bytes) -> dict[str, str]:
    """Returns a public key as a JWK (RFC 8037), its members in the order of their names."""
    return {"crv": "Ed25519", "kty": "OKP", "x": b64url(public)}


def thumbprint(public: bytes) -> str:
    """Returns the name that a public key is known by (RFC 7638)."""
    return b64url(hashlib.sha256(msgspec.json.encode(jwk(public))).digest())


def read_key(path: Path) -> SigningKey:
    """Returns the key in a PEM file, as `openssl genpkey -algorithm ed25519` writes it. OperatorError if it is none."""
    ed25519, serialization = _cryptography()
    try:
        private = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise OperatorError(KEY, str(path), f"can't be read ({error.strerror})") from None
    except (ValueError, TypeError, _unsupported()):
        raise OperatorError(KEY, str(path), "must be an Ed25519 key in PEM, without a password") from None
    if not isinstance(private, ed25519.Ed25519PrivateKey):
        raise OperatorError(KEY, str(path), "must be an Ed25519 key: openssl genpkey -algorithm ed25519")
    return SigningKey(private)


def make_key(path: Path) -> SigningKey:
    """Writes a new key that nobody else may read, and returns it. OperatorError if there is a file already."""
    ed25519, serialization = _cryptography()
    private = ed25519.Ed25519PrivateKey.generate()
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(pem)
    except FileExistsError:
        raise OperatorError(
            "--make-key", str(path), "is there already: a key that is in use must not be lost"
        ) from None
    except OSError as error:
        raise OperatorError("--make-key", str(path), f"can't be written ({error.strerror})") from None
    return SigningKey(private)


def verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the holder of a key signed this message."""
    from cryptography.exceptions import InvalidSignature

    ed25519, _ = _cryptography()
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _quoted(text: str) -> str:
    return f'"{text}"'


def b64(raw: bytes) -> str:
    """Returns bytes as structured fields have them."""
    return base64.b64encode(raw).decode()


def b64url(raw: bytes) -> str:
    """Returns bytes as JOSE has them."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _cryptography() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise OperatorError(KEY, "", "needs what `pip install 'skitter[signing]'` installs") from None
    return ed25519, serialization


def _unsupported() -> type[Exception]:
    from cryptography.exceptions import UnsupportedAlgorithm

    return UnsupportedAlgorithm
