"""What others wrote and we run is what was looked at: pinned by number, and for those who build from here by hash."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_what_is_installed_here_is_pinned_by_hash() -> None:
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-z0-9])", lock.strip(), flags=re.IGNORECASE)
    packages = [entry for entry in entries if not entry.startswith("#")]
    assert len(packages) > 30
    for entry in packages:
        assert re.match(r"[\w.-]+==\d", entry), entry[:60]
        assert "--hash=sha256:" in entry, entry[:60]
    assert "--require-hashes" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_what_users_get_has_an_upper_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for wanted in project["dependencies"]:
        assert re.search(r",<\d", wanted), wanted
    assert project["requires-python"].startswith(">=3.11")


@pytest.mark.parametrize("folder", ["native", "native/tls"])
def test_native_code_is_pinned_and_safe(folder: str) -> None:
    cargo = tomllib.loads((ROOT / folder / "Cargo.toml").read_text(encoding="utf-8"))
    for name, wanted in cargo["dependencies"].items():
        assert (wanted if isinstance(wanted, str) else wanted["version"]).startswith("="), name
    assert cargo["lints"]["rust"]["unsafe_code"] == "deny"
