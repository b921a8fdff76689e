"""Addresses of buckets: what is one, what is not, and that no secret is repeated."""

from __future__ import annotations

import pytest

from skitter.config.buckets import Address, is_address, parse_address
from skitter.errors import OperatorError


@pytest.mark.parametrize(
    ("text", "address", "shown"),
    [
        ("s3://bucket", Address("s3", "bucket", ""), "s3://bucket"),
        ("s3://bucket/", Address("s3", "bucket", ""), "s3://bucket"),
        ("S3://bucket/a//b/", Address("s3", "bucket", "a/b"), "s3://bucket/a/b"),
        ("gs://my.bucket-1/x=1/y", Address("gs", "my.bucket-1", "x=1/y"), "gs://my.bucket-1/x=1/y"),
        ("az://container/p", Address("az", "container", "p"), "az://container/p"),
        ("file:///data/crawls", Address("file", "", "/data/crawls"), "file:///data/crawls"),
    ],
)
def test_an_address_is_read_and_shown(text: str, address: Address, shown: str) -> None:
    assert is_address(text)
    assert parse_address(text) == address
    assert str(address) == shown
    assert parse_address(shown) == address


@pytest.mark.parametrize("text", ["folder", "./a/b", "/s3/x", "crawl-example.org", "s3:/bucket"])
def test_a_path_is_no_address(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize(
    "text",
    [
        *("ftp://bucket/a", "s3://", "s3:///a", "s3://b", "s3://bucket/a b", "s3://bucket/../x", "s3://bucket/a?b"),
        *("s3://bucket/a#b", "file://host/a", "file:///", "s3://bu cket", "http://bucket.s3.example/"),
    ],
)
def test_what_is_wrong_is_refused_in_words(text: str) -> None:
    with pytest.raises(OperatorError, match="--out"):
        parse_address(text)


@pytest.mark.parametrize("text", ["s3://AKIAKEY:topsecret@bucket/a", "s3://topsecret@bucket"])
def test_a_credential_in_an_address_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(OperatorError, match="must not hold credentials") as caught:
        parse_address(text)
    assert "topsecret" not in str(caught.value)
    assert "AKIA" not in str(caught.value)
