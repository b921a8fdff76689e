"""TLS for the simulated web: a root of its own, and for each name the certificate that it shows, good or not.

The certificates are made when the web is started; whoever is to trust them is told of `root`, through the environment
variable SSL_CERT_FILE for one. `cryptography` makes them. It is for tests: a crawl needs no certificates of its own.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Certificate(StrEnum):
    """What a host shows to whoever connects."""

    GOOD = "good"
    EXPIRED = "expired"
    SELF_SIGNED = "self-signed"
    OTHER_NAME = "other-name"
    NONE = "none"  # the connection is broken off in the middle of the handshake


NAMES = ("sim.test", "*.sim.test", "*.zoo.sim.test")
OTHER_NAMES = ("elsewhere.test",)
NOBODY: Mapping[str, Certificate] = MappingProxyType({})


class _Leaf(NamedTuple):
    days: int = 30  # that it is still good
    other_name: bool = False
    signed: bool = True  # by the root


class _Signer(NamedTuple):
    """Who vouches for a certificate."""

    key: ec.EllipticCurvePrivateKey
    name: x509.Name


_LEAVES = {
    Certificate.GOOD: _Leaf(),
    Certificate.EXPIRED: _Leaf(days=-1),
    Certificate.SELF_SIGNED: _Leaf(signed=False),
    Certificate.OTHER_NAME: _Leaf(other_name=True),
}


class Tls:
    """Which certificate each name shows; a name that is not in `shown` has a good one.

    `names` are those that the certificates are for: a `*` stands for one label.
    """

    def __init__(
        self, folder: Path, shown: Mapping[str, Certificate] = NOBODY, *, names: Sequence[str] = NAMES
    ) -> None:
        self.root = folder / "root.pem"
        self._shown = shown
        folder.mkdir(exist_ok=True)
        root = _Signer(ec.generate_private_key(ec.SECP256R1()), _name("Root of the simulated web"))
        self.root.write_bytes(_pem(_signed(root.name, root.key, root, 30, x509.BasicConstraints(True, None))))
        for certificate, leaf in _LEAVES.items():
            made = _made(certificate, leaf, OTHER_NAMES if leaf.other_name else names, root)
            (folder / f"{certificate}.pem").write_bytes(made)
        self._contexts = {certificate: _context(folder, certificate) for certificate in _LEAVES}

    def context(self) -> ssl.SSLContext:
        """Returns what a server listens with: the name that the client asks for decides which certificate it sees."""
        context = self._contexts[Certificate.GOOD]
        context.sni_callback = self._choose
        return context

    def _choose(self, connection: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> int | None:
        shown = self._shown.get(name or "", Certificate.GOOD)
        if shown is Certificate.NONE:
            return int(ssl.ALERT_DESCRIPTION_HANDSHAKE_FAILURE)
        connection.context = self._contexts[shown]
        return None


def _made(certificate: Certificate, leaf: _Leaf, names: Sequence[str], root: _Signer) -> bytes:
    """Returns a key and its certificate."""
    subject, key = _name(certificate), ec.generate_private_key(ec.SECP256R1())
    signer = root if leaf.signed else _Signer(key, subject)
    signed = _signed(subject, key, signer, leaf.days, x509.SubjectAlternativeName(list(map(x509.DNSName, names))))
    plain = serialization.NoEncryption()
    pem, openssl = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(pem, openssl, plain) + _pem(signed)


def _signed(
    subject: x509.Name, key: ec.EllipticCurvePrivateKey, signer: _Signer, days: int, extension: x509.ExtensionType
) -> x509.Certificate:
    now = datetime.now(UTC)
    is_root = isinstance(extension, x509.BasicConstraints)
    builder = x509.CertificateBuilder(
        issuer_name=signer.name,
        subject_name=subject,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now - timedelta(days=30),
        not_valid_after=now + timedelta(days=days),
    )
    return builder.add_extension(extension, critical=is_root).sign(signer.key, hashes.SHA256())


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _context(folder: Path, certificate: Certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{certificate}.pem")
    context.set_alpn_protocols(["http/1.1"])
    return context
