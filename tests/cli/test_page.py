"""`skitter page`: the page, the key, and the key directory, as an operator makes them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from skitter.fetch.signing import DIRECTORY, make_key, read_key
from skitter.folder.crawlfile import VERSION
from skitter.folder.routesfile import write_routes
from skitter.url.domains import Domains
from skitter.url.routes import Routes
from tests.audit.test_audit import GOOD
from tests.audit.timeline import write

pytestmark = pytest.mark.slow
WHO = ("--set", "identity.contact=https://bot.example.org/about", "--set", "identity.operator=Example Archive")


def skitter(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "skitter", *words], capture_output=True, text=True, check=False, timeout=60
    )


def test_from_nothing_to_what_is_to_be_published(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    made = skitter("page", "--make-key", str(key))
    assert made.returncode == 0, made.stderr
    keyid = read_key(key).keyid
    assert keyid in made.stdout
    done = skitter("page", *WHO, "--set", f"identity.key_file={key}", "--out", str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    assert keyid in (tmp_path / "site" / "index.html").read_text()
    published = json.loads((tmp_path / "site" / DIRECTORY.lstrip("/")).read_text())
    assert [one["kid"] for one in published["keys"]] == [keyid]
    assert "BEGIN" not in done.stdout
    again = skitter("page", "--make-key", str(key))
    assert again.returncode == 2
    assert "is there already" in again.stderr


def test_the_page_alone_and_a_key_that_is_none(tmp_path: Path) -> None:
    done = skitter("page", *WHO)
    assert done.returncode == 0, done.stderr
    assert "run by Example Archive" in done.stdout
    assert done.stdout.endswith("</html>\n")
    wrong = skitter("page", *WHO, "--set", f"identity.key_file={tmp_path / 'none.pem'}")
    assert wrong.returncode == 2
    assert "identity.key_file" in wrong.stderr


def test_a_report_for_the_owner_of_a_site_signed_and_checked(tmp_path: Path) -> None:
    key, out, report = tmp_path / "key.pem", write(tmp_path / "out", GOOD), tmp_path / "report.txt"
    keyid = make_key(key).keyid
    (out / "crawl.json").write_text(json.dumps({"version": VERSION, "created": 0.0, "seeds": []}))
    write_routes(out, Routes(Domains(), 1))
    (out / "skitter.toml").write_text(f'[identity]\ncontact = "https://bot.example.org/"\nkey_file = "{key}"\n')
    made = skitter("audit", str(out), "--host", "a.example", "--report", str(report))
    assert made.returncode == 0, made.stderr
    assert "is written, signed" in made.stderr
    right = skitter("audit", "--verify", str(report))
    assert right.returncode == 0, right.stdout
    assert keyid in right.stdout
    report.write_text(report.read_text().replace("Every promise", "No promise"))
    wrong = skitter("audit", "--verify", str(report))
    assert wrong.returncode == 1
    assert "was changed" in wrong.stdout
    lost = skitter("audit")
    assert lost.returncode == 2
    assert "DIR" in lost.stderr
