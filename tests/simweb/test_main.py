from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skitter.simweb.log import read_log


@contextmanager
def running(*options: str) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, object]]]:
    command = [sys.executable, "-m", "skitter.simweb", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate(timeout=10)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_process_says_when_it_is_ready_and_ends_in_order(tmp_path: Path, sign: signal.Signals) -> None:
    files = {name: tmp_path / name for name in ("log", "hosts-file", "ready-file")}
    options = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    with running("--world", "plain", "--hosts", "3", "--animals", "echo", *options) as (process, ready):
        assert json.loads(files["ready-file"].read_text()) == ready
        assert ready["pid"] == process.pid
        assert ready["seeds"] == [f"http://h0000.sim.test:{ready['port']}/"]
        assert len(files["hosts-file"].read_text().splitlines()) == 7
        assert status_of("127.20.0.3", ready["port"], "h0002.sim.test") == 200
        process.send_signal(sign)
        assert process.wait(timeout=10) == 0
    assert [(request.host.partition(":")[0], request.status) for request in read_log(files["log"])] == [
        ("h0002.sim.test", 200)
    ]


def status_of(address: str, port: object, name: str) -> int:
    connection = http.client.HTTPConnection(address, int(str(port)), timeout=10)
    connection.request("GET", "/", headers={"Host": f"{name}:{port}"})
    try:
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.slow
def test_kill_loses_at_most_the_last_moment_of_the_log(tmp_path: Path) -> None:
    with running("--world", "plain", "--hosts", "3", "--log", str(tmp_path / "log")) as (process, ready):
        status_of("127.20.0.3", ready["port"], "h0002.sim.test")
        while len((tmp_path / "log").read_bytes().splitlines()) < 3:
            assert process.poll() is None
        process.kill()
    assert [request.status for request in read_log(tmp_path / "log")] == [200]


@pytest.mark.slow
def test_real_pages_can_be_shown(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_bytes(b"<p>a real page</p>")
    with running("--world", "plain", "--hosts", "1", "--pages", str(tmp_path)) as (_, ready):
        connection = http.client.HTTPConnection("127.20.0.1", int(str(ready["port"])), timeout=10)
        connection.request("GET", "/", headers={"Host": "h0000.sim.test"})
        assert b"<p>a real page</p>" in connection.getresponse().read()
        connection.close()
