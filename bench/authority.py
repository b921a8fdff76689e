"""Certificates for the servers of the bench, as on the web: a root, one between, one for each address. ECDSA P-256."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pages import ROOT

CACHE = ROOT / ".cache" / "bench" / "authority"
TRUSTED = "trusted/root.pem"
VALID = timedelta(days=1000)


class _Signer(NamedTuple):
    """A key, and the name that it signs as."""

    key: ec.EllipticCurvePrivateKey
    name: x509.Name


def certified(addresses: Sequence[str]) -> Path:
    """Returns a folder with ADDRESS.pem (key and chain) for each address, and with TRUSTED, which is to be trusted.

    It is made once for a number of addresses: those are always the same ones.
    """
    folder = CACHE / str(len(addresses))
    if not (folder / TRUSTED).exists():
        (folder / TRUSTED).parent.mkdir(parents=True, exist_ok=True)
        _make(addresses, folder)
    return folder


def trust(addresses: Sequence[str]) -> dict[str, str]:
    """Returns the environment of a client that trusts these certificates and no others."""
    root = certified(addresses) / TRUSTED
    return {"SSL_CERT_FILE": str(root), "SSL_CERT_DIR": str(root.parent)}


def _make(addresses: Sequence[str], folder: Path) -> None:
    root, between = _signer("Bench root"), _signer("Bench between")
    chain = _signed(between, root, x509.BasicConstraints(ca=True, path_length=0))
    for address in addresses:
        leaf = _signer(address)
        names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))])
        (folder / f"{address}.pem").write_bytes(_secret(leaf) + _signed(leaf, between, names) + chain)
    (folder / TRUSTED).write_bytes(_signed(root, root, x509.BasicConstraints(ca=True, path_length=None)))


def _signer(name: str) -> _Signer:
    return _Signer(ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))


def _signed(who: _Signer, by: _Signer, says: x509.ExtensionType) -> bytes:
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(
        issuer_name=by.name,
        subject_name=who.name,
        public_key=who.key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now - timedelta(days=1),
        not_valid_after=now + VALID,
    )
    # Without them a certificate is refused by those who look closely (RFC 5280, 4.2.1).
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(who.key.public_key()), critical=False)
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(by.key.public_key())
    builder = builder.add_extension(issuer, critical=False).add_extension(_usage(says), critical=True)
    builder = builder.add_extension(says, critical=isinstance(says, x509.BasicConstraints))
    return builder.sign(by.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def _usage(says: x509.ExtensionType) -> x509.KeyUsage:
    signs = isinstance(says, x509.BasicConstraints)
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _secret(who: _Signer) -> bytes:
    return who.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
