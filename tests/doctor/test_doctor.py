"""`skitter doctor` on a machine as it is, and on ones that lack something."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from skitter.fetch.signing import make_key
from tests.servers.kafka import Broker
from tests.servers.s3 import S3Server

pytestmark = pytest.mark.slow
HERE = ("--set", "dns.allow_private=true")


class Contact(http.server.BaseHTTPRequestHandler):
    """A contact page, by a server whose clock may be off."""

    status, late = 200, 0.0
    asked: list[tuple[str, str | None]]

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["User-Agent"]))
        self.send_response_only(self.status)
        self.send_header("Date", formatdate(time.time() - self.late, usegmt=True))
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"us")

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@contextmanager
def contact(status: int = 200, late: float = 0.0) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """Yields the address of a contact page, and what it was asked for."""
    asked: list[tuple[str, str | None]] = []
    handler = type("Handler", (Contact,), {"status": status, "late": late, "asked": asked})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def doctor(*arguments: str, files: int | None = None, **environment: str) -> tuple[int, dict[str, Any]]:
    """Returns the exit code and the findings by what they are about; `files`: how many may be open."""
    limit = [] if files is None else ["prlimit", f"--nofile={files}:{files}"]
    done = subprocess.run(
        [*limit, sys.executable, "-m", "skitter", "doctor", "--json", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | environment,
    )
    assert done.stdout, done.stderr
    return done.returncode, {one["what"]: one for one in json.loads(done.stdout)["findings"]}


def levels(found: dict[str, Any]) -> dict[str, str]:
    return {what: one["level"] for what, one in found.items()}


def test_a_machine_that_is_fit(tmp_path: Path) -> None:
    with contact() as (url, asked):
        code, found = doctor(*HERE, "--out", str(tmp_path), "--set", f"identity.contact={url}")
    told = levels(found)
    assert code == 0, found
    assert {told[what] for what in ("Python", "kernel", "open files", "room", "names", "user agent", "contact")} == {
        "good"
    }
    assert [path for path, _ in asked] == ["/"]
    assert asked[0][1] is not None
    assert url in asked[0][1], "we say who we are"
    assert list(tmp_path.iterdir()) == [], "nothing is left of what was written"


def test_who_can_not_be_reached_must_not_begin(tmp_path: Path) -> None:
    code, found = doctor(*HERE, "--out", str(tmp_path / "not" / "yet"))
    assert code == 1
    assert found["contact"]["level"] == "bad"
    assert "identity.contact" in found["contact"]["do"]
    assert found["room"]["said"].endswith(str(tmp_path))


@pytest.mark.parametrize(("status", "late", "what", "words"), [
    (404, 0.0, "contact", "answers 404"),
    (200, 7200.0, "clock", "s ahead of that of 127.0.0.1"),
    (200, -7200.0, "clock", "s behind that of 127.0.0.1"),
])  # fmt: skip
def test_a_contact_page_that_is_gone_and_a_clock_that_is_off(status: int, late: float, what: str, words: str) -> None:
    with contact(status, late) as (url, _):
        code, found = doctor(*HERE, "--set", f"identity.contact={url}/about")
    assert (code, found[what]["level"]) == (1, "bad")
    assert words in found[what]["said"]


def test_a_contact_page_that_nobody_serves(tmp_path: Path) -> None:
    with contact() as (url, _):
        pass
    _, found = doctor(*HERE, "--out", str(tmp_path), "--set", f"identity.contact={url}")
    assert "does not answer (refused" in found["contact"]["said"]


def test_a_key_that_nobody_can_look_up(tmp_path: Path) -> None:
    make_key(tmp_path / "key.pem")
    key = ("--set", f"identity.key_file={tmp_path / 'key.pem'}", "--set", "identity.contact=me@example.org")
    with contact(404) as (url, _):
        there = ("--set", f"identity.key_directory={url.replace('http:', 'https:')}")
        code, found = doctor(*HERE, *key, *there, "--out", str(tmp_path))
    assert (code, found["key"]["level"]) == (1, "bad")
    assert "no site can check our signatures" in found["key"]["said"]
    assert "skitter page" in found["key"]["do"]


def test_few_files_no_disk_and_a_browser_that_is_none() -> None:
    browser = ("--set", "render.browser=/nowhere/chromium")
    code, found = doctor("--set", "identity.contact=me@example.org", *browser, "--out", "/proc/crawl", files=300)
    assert code == 1
    assert {what: found[what]["level"] for what in ("open files", "disk", "browser")} == dict.fromkeys(
        ("open files", "disk", "browser"), "bad"
    )
    assert found["open files"]["said"].startswith("300 are allowed, and a node may need some ")
    assert "can't be written to" in found["disk"]["said"]
    assert "'/nowhere/chromium' is no program" in found["browser"]["said"]
    assert all(one["do"] for one in found.values() if one["level"] != "good")


def test_a_broker_and_a_bucket(broker: Broker, s3: S3Server, tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    words = '[fleet]\nname = "doctor"\nshards = 2\nreplication = 1\n[kafka]\n"bootstrap.servers" = "{}"\n'
    file.write_text(words.format(broker.bootstrap))
    there = ("--fleet", str(file), "--bucket", f"s3://{s3.bucket}/doctor")
    _, found = doctor(*there, **s3.environment)
    assert found["Kafka"]["level"] == "bad"
    assert "is not there: `skitter fleet init` makes it" in found["Kafka"]["said"]
    assert found["bucket"]["level"] == "good", found["bucket"]


def test_a_bucket_that_refuses_us(s3: S3Server) -> None:
    wrong = s3.environment | {"AWS_SECRET_ACCESS_KEY": "wrong" * 8}
    _, found = doctor("--bucket", f"s3://{s3.bucket}/doctor", **wrong)
    assert found["bucket"]["level"] == "bad"
    assert "wrong" * 8 not in str(found)
