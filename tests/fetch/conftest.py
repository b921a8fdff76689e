"""Certificates, made once for all tests of a run, and who reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.fetch import rustls as quick
from tests.fetch import certificates


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("certificates")
    certificates.make(made)
    return made


@pytest.fixture
def trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of certificates, with its root in place of the system's."""
    monkeypatch.setenv("SSL_CERT_FILE", str(folder / "root.pem"))
    return folder


@pytest.fixture(params=["rustls", "ssl"])
def stack(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Who does TLS: rustls first, or Python's `ssl` alone, as where no Rust toolchain was at hand."""
    chosen: str = request.param
    if chosen == "ssl":
        monkeypatch.setattr(quick, "IS_NATIVE", False)
    elif not quick.IS_NATIVE:
        pytest.skip("installed without a Rust toolchain")
    return chosen
