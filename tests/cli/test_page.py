"""`skitter page`: the page, the key, and the key directory, as an operator makes them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from skitter.fetch.signing import DIRECTORY, read_key

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
