"""Certificates for the tests, made by the openssl command: a root of our own, and what may be wrong with a leaf."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

NAMES = "subjectAltName=DNS:good.test,DNS:*.good.test,IP:127.0.0.1\n"
# What is asked of a leaf: its names, and for how many days it is valid.
LEAVES = {"good": (NAMES, 30), "expired": (NAMES, -1), "other": ("subjectAltName=DNS:other.test\n", 30)}
KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def make(folder: Path) -> None:
    """Writes root.pem and, for each leaf and for `self`, NAME.pem with the key in it."""
    root = ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"]
    _openssl(folder, "req", "-x509", *KEY, "-keyout", "root.key", "-out", "root.pem", "-subj", "/CN=Test root", *root)
    for name, (extensions, days) in LEAVES.items():
        (folder / f"{name}.ext").write_text(extensions)
        _openssl(folder, "req", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        signed = ["-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days", str(days)]
        _openssl(
            folder, "x509", "-req", "-in", f"{name}.csr", *signed, "-extfile", f"{name}.ext", "-out", f"{name}.crt"
        )
        _join(folder, name)
    alone = ["-addext", NAMES.strip()]
    _openssl(folder, "req", "-x509", *KEY, "-keyout", "self.key", "-out", "self.crt", "-subj", "/CN=self", *alone)
    _join(folder, "self")


def server_context(folder: Path, name: str) -> ssl.SSLContext:
    """Returns the server's side of TLS with the certificate of that name."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(folder / f"{name}.pem")
    return made


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def _join(folder: Path, name: str) -> None:
    (folder / f"{name}.pem").write_bytes((folder / f"{name}.key").read_bytes() + (folder / f"{name}.crt").read_bytes())
