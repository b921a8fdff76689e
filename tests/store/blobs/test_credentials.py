"""Where the keys to S3 come from, and that they are never told."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.errors import OperatorError
from skitter.store.blobs.credentials import s3_options

FILE = """
[default]
aws_access_key_id = KEY1
aws_secret_access_key = SECRET1
[other]
aws_access_key_id = KEY2
aws_secret_access_key = SECRET2
aws_session_token = TOKEN2
"""
CONFIG = """
[default]
region = eu-central-1
[profile other]
region = eu-west-1
endpoint_url = https://s3.other.example
"""


@pytest.fixture
def home(tmp_path: Path) -> str:
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text(FILE, encoding="utf-8")
    (tmp_path / ".aws" / "config").write_text(CONFIG, encoding="utf-8")
    return str(tmp_path)


def test_the_environment_comes_first(home: str) -> None:
    environment = {"HOME": home, "AWS_ACCESS_KEY_ID": "K", "AWS_SECRET_ACCESS_KEY": "S", "AWS_REGION": "r"}
    assert s3_options(environment) == {"access_key_id": "K", "secret_access_key": "S", "region": "r"}


def test_then_the_file_and_the_profile_that_is_named(home: str) -> None:
    first = {"access_key_id": "KEY1", "secret_access_key": "SECRET1", "region": "eu-central-1"}
    assert s3_options({"HOME": home}) == first
    second = {"access_key_id": "KEY2", "secret_access_key": "SECRET2", "session_token": "TOKEN2"}
    place = {"region": "eu-west-1", "endpoint": "https://s3.other.example"}
    assert s3_options({"HOME": home, "AWS_PROFILE": "other"}) == second | place


def test_without_any_the_library_looks_further(tmp_path: Path) -> None:
    assert s3_options({"HOME": str(tmp_path)}) == {}


def test_a_role_of_the_machine_is_not_overruled_by_a_file(home: str) -> None:
    assert "access_key_id" not in s3_options({"HOME": home, "AWS_WEB_IDENTITY_TOKEN_FILE": "/token"})


def test_a_file_that_is_none_is_named_but_not_repeated(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("topsecret without a section", encoding="utf-8")
    with pytest.raises(OperatorError, match="keys") as caught:
        s3_options({"AWS_SHARED_CREDENTIALS_FILE": str(file)})
    assert "topsecret" not in str(caught.value)
    assert caught.value.__cause__ is None
