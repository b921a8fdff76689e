"""TLS by rustls, against OpenSSL and without a network: which sessions are taken up, and what bytes can do."""

from __future__ import annotations

import contextlib
import ssl
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skitter.fetch import rustls as quick
from skitter.fetch.rustls import HOUR, Rustls
from skitter.fetch.tls import Server

RefusedError = pytest.importorskip("skitter._tls", reason="no Rust toolchain: `ssl` is in use").RefusedError

VERSIONS = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}

versions = pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def server(folder: Path, leaf: str = "good", version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(folder / f"{leaf}.pem")
    made.maximum_version = version
    return made


def client(folder: Path, clock: Clock | None = None) -> Rustls:
    return Rustls((folder / "root.pem").read_bytes(), clock or Clock())


class Meeting:
    """Two ends of a connection; `back` and `forth` are what is on its way."""

    def __init__(self, near: Rustls, far: ssl.SSLContext, name: str = "good.test", port: int = 443) -> None:
        self.back, self.forth = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.ours = near.meet(Server(name, port))
        self.theirs = far.wrap_bio(self.forth, self.back, server_side=True)
        self.forth.write(self.ours.outgoing())

    def answered(self) -> bytes:
        """Returns what the server says to what it has got so far."""
        with contextlib.suppress(ssl.SSLWantReadError):
            self.theirs.do_handshake()
        return self.back.read()

    def hear(self) -> bytes:
        """Returns the content of what is on its way to us."""
        content = self.ours.feed(self.back.read())
        self.forth.write(self.ours.outgoing())
        return content

    def shake_hands(self) -> Meeting:
        for _ in range(2):
            self.ours.feed(self.answered())
            self.forth.write(self.ours.outgoing())
        self.theirs.write(b"hello")  # a ticket comes before it
        assert self.hear() == b"hello"
        return self


def visit(near: Rustls, far: ssl.SSLContext, name: str = "good.test", port: int = 443) -> bool:
    """Returns whether a session was taken up again; both ends agree on it."""
    met = Meeting(near, far, name, port).shake_hands()
    assert met.ours.session_reused == met.theirs.session_reused
    return met.ours.session_reused


@versions
def test_who_comes_back_takes_up_the_session(folder: Path, version: ssl.TLSVersion) -> None:
    near, far = client(folder), server(folder, version=version)
    assert [visit(near, far) for _ in range(4)] == [False, True, True, True]


@versions
def test_a_certificate_is_looked_at_once_an_hour(folder: Path, version: ssl.TLSVersion) -> None:
    """Each visit renews the session, but nobody has shown a certificate since the first."""
    clock = Clock()
    near, far = client(folder, clock), server(folder, version=version)
    looked, seen = clock.now, [visit(near, far)]
    for age in (HOUR / 2, HOUR - 1, HOUR):
        clock.now = looked + age
        seen.append(visit(near, far))
    assert seen == [False, True, True, False]


OTHERS = {"another name of the same certificate": ("127.0.0.1", 443), "another port": ("good.test", 444)}


@versions
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_a_session_is_for_one_name_and_port(folder: Path, version: ssl.TLSVersion, other: tuple[str, int]) -> None:
    near, far = client(folder), server(folder, version=version)
    assert not visit(near, far)
    assert [visit(near, far, *other) for _ in range(2)] == [False, True]
    assert visit(near, far)


@versions
def test_the_name_is_checked_though_there_is_a_session(folder: Path, version: ssl.TLSVersion) -> None:
    near, far = client(folder), server(folder, version=version)
    visit(near, far)
    with pytest.raises(RefusedError, match="not valid for name"):
        visit(near, far, "other.test")


@versions
def test_a_session_that_the_server_does_not_know_costs_a_full_handshake(folder: Path, version: ssl.TLSVersion) -> None:
    near, far, stranger = client(folder), server(folder, version=version), server(folder, version=version)
    visit(near, far)
    assert [visit(near, stranger) for _ in range(2)] == [False, True]


@versions
def test_a_certificate_is_looked_at_when_the_session_is_refused(folder: Path, version: ssl.TLSVersion) -> None:
    near, far = client(folder), server(folder, version=version)
    visit(near, far)
    with pytest.raises(RefusedError, match="Expired"):
        visit(near, server(folder, "expired", version))


def test_a_ticket_is_used_once(folder: Path) -> None:
    near, far = client(folder), server(folder)
    far.num_tickets = 1
    visit(near, far)
    hellos = [Meeting(near, far) for _ in range(2)]  # before either is answered
    assert [met.shake_hands().ours.session_reused for met in hellos] == [True, False]


def test_few_sessions_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "MAX_SERVERS", 8)
    near, far = client(folder), server(folder)
    names = [f"{number}.good.test" for number in range(12)]
    assert not any(visit(near, far, name) for name in names)
    assert [visit(near, far, name) for name in reversed(names[4:])] == [True] * 8
    assert [visit(near, far, name) for name in names[:4]] == [False] * 4


def test_who_wants_too_much_to_be_kept_is_forgotten(folder: Path) -> None:
    """A server can send tickets without end, of 64 KB each."""
    near, far = client(folder), server(folder)
    met = Meeting(near, far).shake_hands()
    for _ in range(2000):
        met.theirs.write(b"x")  # 22 bytes for one
    assert met.hear() == b"x" * 2000
    assert not visit(near, far)
    assert visit(near, far)


def test_much_content_is_not_too_much(folder: Path) -> None:
    near, far = client(folder), server(folder)
    met = Meeting(near, far).shake_hands()
    for _ in range(100):
        met.theirs.write(bytes(100_000))
        met.hear()
    assert visit(near, far)


def test_few_ports_have_sessions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "MAX_PORTS", 2)
    near, far = client(folder), server(folder)
    first = [visit(near, far, port=port) for port in (1, 2, 1, 2)]
    assert first == [False, False, True, True]
    assert [visit(near, far, port=port) for port in (3, 1, 3)] == [False, False, True]  # all were forgotten for 3


def test_what_comes_is_what_was_sent(folder: Path) -> None:
    met = Meeting(client(folder), server(folder)).shake_hands()
    large = bytes(range(256)) * 5000
    met.theirs.write(large)
    assert met.hear() == large
    met.ours.write(large)
    met.forth.write(met.ours.outgoing())
    heard = b""
    while len(heard) < len(large):
        heard += met.theirs.read(2**16)
    assert heard == large


@versions
def test_the_end_is_told_with_what_came_before_it(folder: Path, version: ssl.TLSVersion) -> None:
    met = Meeting(client(folder), server(folder, version=version)).shake_hands()
    assert not met.ours.is_over
    met.theirs.write(b"last words")
    with contextlib.suppress(ssl.SSLWantReadError):
        met.theirs.unwrap()
    assert met.hear() == b"last words"
    assert met.ours.is_over


def test_what_comes_after_the_end_is_not_heard(folder: Path) -> None:
    met = Meeting(client(folder), server(folder)).shake_hands()
    with contextlib.suppress(ssl.SSLWantReadError):
        met.theirs.unwrap()
    met.back.write(b"\x17\x03\x03\x00\x05more?" * 1000)
    assert met.hear() == b""


UNREADABLE = {"nowhere": "/nowhere/at/all", "no file": "/", "a file that can't be read": "/proc/self/mem"}


@pytest.mark.parametrize("file", UNREADABLE.values(), ids=UNREADABLE)
def test_without_a_bundle_it_is_left_to_ssl(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", file)
    assert quick.quick() is None


def test_a_bundle_of_nonsense_trusts_nobody(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nonsense = tmp_path / "bundle.pem"
    nonsense.write_bytes(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\nnonsense\xff\0")
    monkeypatch.setenv("SSL_CERT_FILE", str(nonsense))
    near = quick.quick()
    assert near is not None
    with pytest.raises(RefusedError, match="UnknownIssuer"):
        visit(near, server(folder))


@pytest.mark.parametrize("name", ["a..test", "-.test", "", "a" * 64 + ".test"])
def test_a_name_that_no_certificate_can_have_is_known_before(folder: Path, name: str) -> None:
    assert not client(folder).can_meet(Server(name, 443))


@pytest.mark.parametrize("name", ["good.test", "127.0.0.1", "::1", "xn--bcher-kva.test"])
def test_other_names_are_taken(folder: Path, name: str) -> None:
    assert client(folder).can_meet(Server(name, 443))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(st.lists(st.binary(max_size=40), max_size=5))
def test_any_bytes_are_content_of_nothing(folder: Path, pieces: list[bytes]) -> None:
    met = Meeting(client(folder), server(folder))
    with contextlib.suppress(RefusedError):
        for piece in pieces:
            assert met.ours.feed(piece) == b""
    assert met.ours.is_handshaking


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(st.integers(1, 53), st.integers(0, 7))
def test_a_damaged_handshake_is_never_taken_for_a_whole_one(folder: Path, from_the_end: int, bit: int) -> None:
    """The last message seals all that came before it."""
    met = Meeting(client(folder), server(folder))
    answer = bytearray(met.answered())
    answer[-from_the_end] ^= 1 << bit
    with contextlib.suppress(RefusedError):
        met.ours.feed(bytes(answer))
    assert met.ours.is_handshaking


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 400), max_size=8))
def test_how_the_bytes_are_cut_makes_no_difference(folder: Path, sizes: list[int]) -> None:
    met = Meeting(client(folder), server(folder))
    answer = met.answered()
    for size in sizes:
        met.ours.feed(answer[:size])
        answer = answer[size:]
    met.ours.feed(answer)
    assert not met.ours.is_handshaking
