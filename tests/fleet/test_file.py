"""The fleet file: mistakes in it are named, and secrets come from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.errors import OperatorError
from skitter.fleet.file import client_of, read_fleet

GOOD = """
[fleet]
name = "news"
[kafka]
"bootstrap.servers" = "k1:9092"
"""

MISTAKES = {
    "no TOML": ("[fleet", "is no fleet file"),
    "no name": ('[fleet]\n[kafka]\n"bootstrap.servers" = "a"', "missing required field `name`"),
    "a name that no topic can have": (GOOD.replace("news", "a/b"), "fleet.name = 'a/b': must be letters"),
    "no servers": ('[fleet]\nname = "a"\n[kafka]', "kafka.bootstrap.servers = '': must be there, as `\"bootstrap"),
    "a key that is none": (GOOD.replace("[kafka]", "shard = 3\n[kafka]"), "unknown field `shard`"),
    "too many shards": (GOOD.replace("[kafka]", "shards = 5000\n[kafka]"), "<= 4096"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_named(case: str, tmp_path: Path) -> None:
    text, words = MISTAKES[case]
    file = tmp_path / "fleet.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(OperatorError) as caught:
        read_fleet(file)
    assert words in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="can't be read"):
        read_fleet(tmp_path / "none.toml")


def test_secrets_come_from_the_environment_and_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("from a file\n", encoding="utf-8")
    file = tmp_path / "fleet.toml"
    more = f'"sasl.username" = "env:FLEET_USER"\n"sasl.password" = "file:{tmp_path}/secret"\n"socket.timeout.ms" = 5000'
    file.write_text(f"{GOOD}{more}", encoding="utf-8")
    fleet = read_fleet(file)
    with pytest.raises(OperatorError, match=r"kafka\.sasl\.username = 'env:FLEET_USER'"):
        client_of(fleet)
    monkeypatch.setenv("FLEET_USER", "from the environment")
    assert client_of(fleet) == {
        "bootstrap.servers": "k1:9092",
        "sasl.username": "from the environment",
        "sasl.password": "from a file",
        "socket.timeout.ms": 5000,
    }
    assert "from the environment" not in repr(fleet)
