"""Signed requests: the vectors of RFC 9421 and of the Web Bot Auth draft, and somebody else's implementation."""

from __future__ import annotations

import base64
import re
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from http_message_signatures import (
    HTTPMessageVerifier,
    HTTPSignatureKeyResolver,
    InvalidSignature,
    algorithms,
)

from skitter.errors import OperatorError
from skitter.fetch.fetcher import HttpFetcher
from skitter.fetch.signing import (
    VALID,
    SigningKey,
    agent_of,
    key_directory,
    make_key,
    read_key,
    signature_base,
    signature_lines,
    signs_by,
    thumbprint,
    verifies,
)
from skitter.messages import Fetched
from skitter.settings import FetchSettings, IdentitySettings, Settings
from tests.fetch.rawserver import RawServer, says
from tests.fetch.visit import AGENT, lease, run, within

NOW = 1_735_689_600
# RFC 9421, B.1.4
PRIVATE = base64.urlsafe_b64decode("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU=")
KEY = SigningKey(ed25519.Ed25519PrivateKey.from_private_bytes(PRIVATE))


def test_the_vector_of_rfc_9421_b_2_6() -> None:
    covered = [
        ('"date"', "Tue, 20 Apr 2021 02:07:55 GMT"),
        ('"@method"', "POST"),
        ('"@path"', "/foo"),
        ('"@authority"', "example.com"),
        ('"content-type"', "application/json"),
        ('"content-length"', "18"),
    ]
    base, said = signature_base(covered, {"created": 1618884473, "keyid": "test-key-ed25519"})
    assert said == (
        '("date" "@method" "@path" "@authority" "content-type" "content-length")'
        ';created=1618884473;keyid="test-key-ed25519"'
    )
    signature = base64.b64encode(KEY.sign(base.encode())).decode()
    assert signature == "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="


def test_the_vector_of_the_web_bot_auth_draft() -> None:
    nonce = "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA=="
    covered = [('"@authority"', "example.com"), ('"signature-agent";key="agent2"', '"https://signature-agent.test"')]
    params = {"created": NOW, "keyid": KEY.keyid, "alg": "ed25519", "expires": 4889289600, "nonce": nonce}
    base, _ = signature_base(covered, {**params, "tag": "web-bot-auth"})
    signature = base64.b64encode(KEY.sign(base.encode())).decode()
    assert signature == "RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg=="


def test_keys_are_known_by_their_thumbprints() -> None:
    assert KEY.keyid == "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"
    rfc_8037 = base64.urlsafe_b64decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
    assert thumbprint(rfc_8037) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


class Keys(HTTPSignatureKeyResolver):
    """Looks keys up in a directory that was published."""

    def __init__(self, directory: bytes) -> None:
        self._keys = {one["kid"]: one for one in msgspec.json.decode(directory)["keys"]}

    def resolve_public_key(self, key_id: str) -> ed25519.Ed25519PublicKey:
        raw = base64.urlsafe_b64decode(self._keys[key_id]["x"] + "=")
        return ed25519.Ed25519PublicKey.from_public_bytes(raw)


def headers_of(head: bytes) -> dict[str, str]:
    lines = head.decode().split("\r\n")[1:-2]
    return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}


def verified(url: str, headers: dict[str, str], directory: bytes) -> SimpleNamespace:
    """Returns what an independent implementation says of a request, now."""
    verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=Keys(directory))
    (result,) = verifier.verify(SimpleNamespace(method="GET", url=url, headers=headers), expect_tag="web-bot-auth")
    return SimpleNamespace(covered=dict(result.covered_components), params=dict(result.parameters))


def settings_with(tmp_path: Path, **identity: str) -> Settings:
    path = tmp_path / "key.pem"
    if not path.exists():
        make_key(path)
    return Settings(identity=IdentitySettings(key_file=str(path), **{"contact": "https://bot.test/about", **identity}))


def sent(settings: Settings, count: int = 1) -> tuple[str, list[bytes]]:
    """Returns the URL of a real server, and the requests that it got."""
    import time

    async def main() -> tuple[str, list[bytes]]:
        sign = signs_by(settings, time.time)
        made = HttpFetcher(FetchSettings(), user_agent=AGENT, refusal=lambda _: None, sign=sign)
        reply = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        async with RawServer(says(reply)) as server, made as http:
            url = f"http://127.0.0.1:{server.port}/page?q=1"
            for _ in range(count):
                fetched = await within(9, http.fetch(lease(url), ["127.0.0.1"]))
                assert isinstance(fetched, Fetched)
                assert fetched.request_head == server.requests[-1], "what is archived is what was sent"
            return url, list(server.requests)

    return run(main())


def test_somebody_else_verifies_what_a_server_got(tmp_path: Path) -> None:
    settings = settings_with(tmp_path)
    url, requests = sent(settings, 2)
    key = read_key(Path(settings.identity.key_file))
    told = [verified(url, headers_of(head), key_directory([key.public])) for head in requests]
    authority = url.split("/")[2]
    for one in told:
        assert list(one.covered.values())[:2] == [authority, '"https://bot.test"']
        assert one.params["tag"] == "web-bot-auth"
        assert one.params["keyid"] == key.keyid
        assert one.params["expires"] - one.params["created"] == VALID
    assert told[0].params["nonce"] != told[1].params["nonce"]


@pytest.mark.parametrize(
    "change",
    [
        lambda url, headers: (url.replace("127.0.0.1", "127.0.0.2"), headers),
        lambda url, headers: (url, {**headers, "signature-agent": 'sig1="https://other.test"'}),
        lambda url, headers: (
            url,
            {**headers, "signature-input": headers["signature-input"].replace("nonce=", "nonse=")},
        ),
    ],
    ids=["another host", "another agent", "another nonce"],
)
def test_nobody_else_can_use_a_signature(change: object, tmp_path: Path) -> None:
    settings = settings_with(tmp_path)
    url, (head,) = sent(settings)
    directory = key_directory([read_key(Path(settings.identity.key_file)).public])
    with pytest.raises(InvalidSignature):
        verified(*change(url, headers_of(head)), directory)  # type: ignore[operator]


def test_without_a_key_nothing_is_signed() -> None:
    assert signs_by(Settings(), lambda: 0.0) is None
    _, (head,) = sent(Settings())
    assert b"ignature" not in head


def test_the_key_directory_has_public_keys_only() -> None:
    (key,) = msgspec.json.decode(key_directory([KEY.public]))["keys"]
    assert key == {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
        "kid": KEY.keyid,
        "use": "sig",
        "alg": "EdDSA",
    }


def test_header_lines_cannot_be_broken_out_of() -> None:
    lines = signature_lines(KEY, "https://bot.test", "Example.COM:8080", NOW, "bm9uY2U=")
    assert re.fullmatch(r"(?:Signature(?:-Agent|-Input)?: sig1=[ -~]+\r\n){3}", lines)


@pytest.mark.parametrize(
    ("identity", "agent"),
    [
        ({"contact": "https://bot.test/about?x"}, "https://bot.test"),
        ({"contact": "https://me@bot.test:444/"}, "https://bot.test:444"),
        ({"contact": "me@bot.test", "key_directory": "https://keys.test"}, "https://keys.test"),
    ],
)
def test_where_the_key_is_published(identity: dict[str, str], agent: str) -> None:
    assert agent_of(Settings(identity=IdentitySettings(**identity))) == agent


@pytest.mark.parametrize("contact", ["", "me@bot.test", "http://bot.test/", 'https://bot".test/'])
def test_a_key_that_nobody_can_look_up_is_a_mistake(contact: str, tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"identity\.key_directory"):
        signs_by(settings_with(tmp_path, contact=contact), lambda: 0.0)


def test_a_new_key_is_for_nobody_elses_eyes_and_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    key = make_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_key(path).keyid == key.keyid
    with pytest.raises(OperatorError, match="is there already"):
        make_key(path)
    assert read_key(path).keyid == key.keyid


def test_what_is_no_key_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    with pytest.raises(OperatorError, match="can't be read"):
        read_key(path)
    path.write_text("-----BEGIN NOTHING-----\n")
    with pytest.raises(OperatorError, match="must be an Ed25519 key in PEM"):
        read_key(path)
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(other.private_bytes(*form))
    with pytest.raises(OperatorError, match="must be an Ed25519 key"):
        read_key(path)


def test_a_signature_is_of_one_message_and_one_key() -> None:
    signature = KEY.sign(b"hello")
    assert verifies(KEY.public, signature, b"hello")
    assert not verifies(KEY.public, signature, b"hallo")
    assert not verifies(KEY.public, signature[:-1], b"hello")
    assert not verifies(b"\x00" * 32, signature, b"hello")


@pytest.mark.slow
def test_what_is_missing_is_said_in_words(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['cryptography.hazmat.primitives'] = None\n"
        "from pathlib import Path; from skitter.fetch.signing import read_key\n"
        f"read_key(Path({str(tmp_path)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'skitter[signing]'" in done.stderr
