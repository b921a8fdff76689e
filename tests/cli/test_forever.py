"""`skitter crawl --forever` as a service manager meets it: it waits, takes settings, and stops when told."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from skitter.audit.audit import audit
from skitter.audit.promise import promise_of
from skitter.config.load import load
from skitter.inspection.folder import Folder
from skitter.inspection.status import status
from skitter.store.warc.places import sealed_files
from skitter.store.warc.reader import Reader

if TYPE_CHECKING:
    from tests.cli.conftest import Web

pytestmark = pytest.mark.slow

CHANGED = """
[politeness]
delay = 0.2
max_rate = 100
[scope]
deny = ["/x$"]
[frontier]
shards = 8
"""


def wait_until(what: Callable[[], Any], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while not what():
        assert process.poll() is None, "the crawl ended"
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.05)


def last_run(out: Path) -> dict[str, Any]:
    file = out / "run" / "last.json"
    return json.loads(file.read_text()) if file.exists() else {}


def test_a_service(command: list[str], web: Web, tmp_path: Path) -> None:
    out, config = tmp_path / "out", tmp_path / "settings.toml"
    config.write_text("[politeness]\ndelay = 0.05\n")
    log = (tmp_path / "log").open("w")
    at = command.index("--delay")  # what is typed wins over what is in a file
    service = [*command[:at], *command[at + 2 :], "--out", str(out), "--forever", "--config", str(config)]
    with subprocess.Popen(service, stdout=log, stderr=log, text=True) as process:
        wait_until(lambda: last_run(out).get("counted", {}).get("pages", 0) >= 24, process)
        wait_until(lambda: last_run(out)["in_flight"] == 0, process)
        pages = last_run(out)["counted"]["pages"]

        config.write_text(CHANGED)
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: last_run(out).get("taken"), process)
        told = last_run(out)["taken"]["sentences"]
        config.write_text("[politeness]\ndelay = -1\n")
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: "settings: none are taken" in (tmp_path / "log").read_text(), process)
        assert last_run(out)["ended"] is None
        with Folder(out) as folder:
            assert status(folder, time.time()).running == process.pid
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=40)
    said = (tmp_path / "log").read_text()
    log.close()
    assert set(told) == {
        "politeness.delay is 0.2 now, it was 0.05",
        "politeness.max_rate is 100.0 now, it was 0.0",
        "scope.deny is ['/x$'] now, it was []",
        "frontier.shards = 8 is not taken while the crawl runs: stop it and start it again",
    }
    assert all(f"settings: {sentence}" in said for sentence in told)
    assert "must be" in said
    assert process.returncode == 0, said  # all that is left is to be seen again
    assert last_run(out)["counted"]["pages"] == pages, "nothing was due"
    settings = load([out / "skitter.toml"]).settings
    assert (settings.politeness.delay, settings.scope.deny, settings.schedule.recrawl) == (0.2, ("/x$",), True)
    assert audit(out).is_clean


def test_each_file_holds_what_its_own_delay_allows(command: list[str], web: Web, tmp_path: Path) -> None:
    """The delay is shortened and lengthened in the midst of requests; `audit` holds each WARC file to its settings."""
    out, config = tmp_path / "out", tmp_path / "settings.toml"
    at = command.index("--delay")
    service = [*command[:at], *command[at + 2 :], "--out", str(out), "--forever", "--config", str(config), "--quiet"]
    config.write_text("[politeness]\ndelay = 0.9\n")
    with subprocess.Popen(service, text=True) as process:
        for pages, delay in ((3, 0.5), (9, 1.1)):
            wait_until(lambda pages=pages: last_run(out).get("counted", {}).get("pages", 0) >= pages, process)
            config.write_text(f"[politeness]\ndelay = {delay}\n")
            process.send_signal(signal.SIGHUP)
        wait_until(lambda: last_run(out)["counted"]["pages"] >= 24, process)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=40)
    promises = [promise_of(next(iter(Reader(path))).block) for path in sealed_files(out / "warc")]
    assert {promise.politeness.delay for promise in promises if promise is not None} == {0.9, 0.5, 1.1}
    report = audit(out)
    assert report.is_clean, report.shown
