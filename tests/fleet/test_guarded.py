"""A fleet on a broker that wants TLS and a password; and that nobody is told the password."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from skitter.servers.bringing import Unavailable
from skitter.simweb.settings import WorldSettings
from tests.faults.crawler import served
from tests.fleet.archived import answered
from tests.fleet.nodes import Fleet, wait_for
from tests.servers.kafka import Broker, guarded

pytestmark = pytest.mark.slow
USER, PASSWORD = "crawler", "correct-horse-battery"
HOSTS = 4


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    folder = tmp_path / "kafka"
    folder.mkdir()
    try:
        broker = Broker(folder, guarded(folder / "tls", USER, PASSWORD))
    except Unavailable as why:
        pytest.skip(str(why))
    broker.start()
    yield broker
    broker.kill()


class Guarded(Fleet):
    """A fleet whose file says where the password is, and not what it is."""

    def __init__(self, folder: Path, broker: Broker) -> None:
        super().__init__(folder, broker.bootstrap, "guarded", 2)
        client = {**broker.client, "sasl.username": "env:KAFKA_USER", "sasl.password": f"file:{folder}/secret"}
        lines = "".join(f'"{key}" = "{value}"\n' for key, value in client.items() if key != "bootstrap.servers")
        self.file.write_text(self.file.read_text(encoding="utf-8") + lines, encoding="utf-8")


def test_a_fleet_on_a_broker_with_tls_and_a_password(
    tmp_path: Path, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_USER", USER)
    secret, place = tmp_path / "secret", tmp_path / "fleet"
    place.mkdir()
    (place / "secret").symlink_to(secret)
    with (
        served(tmp_path, WorldSettings(seed=9, hosts=HOSTS, pages_per_host=4), "plain") as web,
        contextlib.closing(Guarded(place, broker)) as fleet,
    ):
        web.seeds = web.world.homes()
        secret.write_text("wrong")
        refused = fleet.run("status", expected=4)
        secret.write_text(PASSWORD)
        said = [refused.stderr, fleet.init(web, 0.1)]
        fleet.start("a")
        wait_for(lambda: len(answered(web.requests())) >= HOSTS, 120, fleet.logs)
        said.append(fleet.run("status").stdout)
        assert fleet.leave("a") == 0, fleet.logs()
    assert "Authentication failed" in refused.stderr, refused.stderr
    assert "2 shards" in said[-1], said[-1]
    told = "".join(said) + fleet.logs()
    assert PASSWORD not in told
    files = [path for path in place.rglob("*") if path.is_file() and path.name != "secret"]
    assert any(path.name.endswith(".warc.gz") for path in files)
    assert not [path for path in files if PASSWORD.encode() in _content(path)]


def _content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
