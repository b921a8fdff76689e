"""Whom we trust, and what is remembered of servers."""

from __future__ import annotations

import contextlib
import ssl
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skitter.fetch import tls
from skitter.fetch.tls import Remembered, Server

SERVERS = st.builds(Server, st.sampled_from(["a.test", "b.test", "::1"]), st.integers(1, 4))


@settings(max_examples=40)
@given(st.lists(st.tuples(SERVERS, st.booleans(), st.integers(0, 9))), st.integers(1, 6), st.integers(1, 30))
def test_what_is_remembered_is_little_and_not_old(
    steps: list[tuple[Server, bool, int]], limit: int, seconds: int
) -> None:
    known, told, now = Remembered(limit, seconds), dict[Server, int](), 0
    for server, added, pause in steps:
        now += pause
        if added:
            known.add(server, now)
            told.pop(server, None)
            told[server] = now
        assert known.has(server, now) == (server in list(told)[-limit:] and now - told[server] < seconds)
        assert len(known) <= limit


def trusts(near: ssl.SSLContext, folder: Path) -> bool:
    """Returns whether a handshake in memory comes to a good end."""
    far = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    far.load_cert_chain(folder / "good.pem")
    back, forth = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = near.wrap_bio(back, forth, server_hostname="good.test")
    theirs = far.wrap_bio(forth, back, server_side=True)
    try:
        for end in (ours, theirs, ours, theirs):
            with contextlib.suppress(ssl.SSLWantReadError):
                end.do_handshake()
    except ssl.SSLCertVerificationError:
        return False
    return ours.version() is not None


@pytest.fixture
def hashed(folder: Path, tmp_path: Path) -> Path:
    """A directory with our root, under the name by which OpenSSL looks for it."""
    made = tmp_path / "hashed"
    made.mkdir()
    root = folder / "root.pem"
    named = subprocess.run(["openssl", "x509", "-noout", "-hash", "-in", root], check=True, capture_output=True)
    (made / f"{named.stdout.decode().strip()}.0").write_bytes(root.read_bytes())
    return made


def test_who_is_trusted_by_a_file_or_a_directory(
    folder: Path, hashed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.pem"
    other.write_bytes((folder / "self.crt").read_bytes())
    bundle = hashed / "bundle.crt"
    bundle.write_bytes(other.read_bytes())
    nowhere = tmp_path / "nowhere"
    cases = {
        (folder / "root.pem", nowhere): True,
        (other, nowhere): False,
        (nowhere, hashed): True,
        (other, hashed): True,
        (bundle, hashed): False,  # it was made from the directory: what is not in it was left out
    }
    for (file, directory), expected in cases.items():
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        monkeypatch.setenv("SSL_CERT_DIR", str(directory))
        assert trusts(tls.verifying(), folder) is expected, (file, directory)


def test_who_trusts_everybody_trusts_anybody(folder: Path) -> None:
    assert trusts(tls.trusting(), folder)
