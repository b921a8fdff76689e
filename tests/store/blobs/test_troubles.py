"""What goes wrong with a real S3 server: repeated while that may help, then said in words without a secret."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterator

import pytest

from skitter.config.buckets import Address
from skitter.errors import BlobsError
from skitter.store.blobs.blobs import ObstoreBlobs
from skitter.store.blobs.opening import TRIES, open_blobs
from skitter.store.blobs.troubles import TABLE, trouble_of
from tests.servers.proxy import Proxy, proxied
from tests.servers.s3 import S3Server

pytestmark = pytest.mark.slow


@pytest.fixture
def proxy(s3: S3Server) -> Iterator[Proxy]:
    with proxied(s3.port) as proxy:
        yield proxy


def opened(s3: S3Server, *, bucket: str = "", **environment: str) -> ObstoreBlobs:
    return open_blobs(Address("s3", bucket or s3.bucket, "troubles"), {**s3.environment, **environment})


@pytest.mark.parametrize("fault", [500, 503, -1])
def test_what_fails_for_a_moment_is_tried_again(s3: S3Server, proxy: Proxy, fault: int) -> None:
    blobs = opened(s3, AWS_ENDPOINT_URL=proxy.endpoint)
    proxy.fault, proxy.left = fault, 2
    asyncio.run(blobs.put("again", b"content"))
    assert proxy.met[fault] == 2
    assert asyncio.run(blobs.get("again")) == b"content"


def test_what_fails_for_longer_is_the_callers_business(s3: S3Server, proxy: Proxy) -> None:
    blobs = opened(s3, AWS_ENDPOINT_URL=proxy.endpoint)
    proxy.fault = 503
    with pytest.raises(BlobsError, match="slow down") as caught:
        asyncio.run(blobs.get("again"))
    assert caught.value.kind == "away"
    assert proxy.met[503] == TRIES + 1


@pytest.mark.parametrize(
    ("environment", "kind", "words"),
    [
        ({"AWS_SECRET_ACCESS_KEY": "topsecret-and-wrong"}, "denied", "secret key"),
        ({"AWS_ACCESS_KEY_ID": "AKIA-NOBODY"}, "denied", "access key is not known"),
        ({"bucket": "there-is-none"}, "missing", "no such bucket"),
    ],
)
def test_what_no_try_can_help_is_said_at_once_and_without_secrets(
    s3: S3Server, environment: dict[str, str], kind: str, words: str
) -> None:
    blobs = opened(s3, **environment)

    async def ask() -> None:
        async for _ in blobs.list(""):
            pass

    with pytest.raises(BlobsError, match=words) as caught:
        asyncio.run(ask())
    assert caught.value.kind == kind
    told = "".join(traceback.format_exception(caught.value)) + repr(blobs)
    for secret in ("topsecret", "AKIA", s3.secret, s3.key):
        assert secret not in told


def test_a_server_that_is_not_there_is_away(s3: S3Server) -> None:
    with proxied(s3.port) as gone:
        blobs = opened(s3, AWS_ENDPOINT_URL=gone.endpoint)
    with pytest.raises(BlobsError, match="reached") as caught:
        asyncio.run(blobs.find("a"))
    assert caught.value.kind == "away"


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.what)
def test_every_row_says_what_to_do(row: object) -> None:
    assert row.kind in ("denied", "missing", "away")  # type: ignore[attr-defined]
    assert row.remedy.endswith(".")  # type: ignore[attr-defined]


def test_what_nobody_thought_of_is_away_and_loses_its_address() -> None:
    trouble = trouble_of(ValueError("odd: https://x.example/?sig=topsecret it is\nlong picture"), "s3://b")
    assert trouble.kind == "away"
    assert "topsecret" not in str(trouble)
    assert "picture" not in str(trouble)


def test_how_long_a_request_took_is_no_status() -> None:
    trouble = trouble_of(ValueError("GET http://127.0.0.1:5403/a in 403.503µs - error sending request"), "s3://b")
    assert (trouble.kind, trouble.what) == ("away", "it can't be reached")
