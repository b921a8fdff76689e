"""`skitter serve`: says where it is and who may ask, answers, and ends when told to; mistakes are named."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from skitter.cli.serve import serve
from skitter.errors import OperatorError
from skitter.settings import DnsSettings, Settings
from skitter.supervisor.begin import begin
from tests.api.asking import ask, token_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "crawl").mkdir()
    begin(tmp_path / "crawl", ["http://127.0.0.1/"], Settings(dns=DnsSettings(allow_private=True)), 0.0)
    return tmp_path / "crawl"


@pytest.mark.slow
def test_it_says_where_it_is_and_ends_in_order(folder: Path) -> None:
    tokens = token_file(folder.parent)
    shutil.copy(tokens, folder / "api-tokens")
    command = [sys.executable, "-m", "skitter", "serve", str(folder), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"is at http://(127\.0\.0\.1:\d+)/; sign in, or ask, with a token of (\S+)", said)
        assert found is not None, said
        assert Path(found[2]) == folder / "api-tokens"
        told = ask(found[1], "GET", "/v1/crawls", role="read")
        assert told.told["crawls"][0]["running"] is False
        assert ask(found[1], "GET", "/v1/work").status == 404  # there is nobody who lends leases
        process.send_signal(signal.SIGTERM)
        assert process.wait(300) == 0
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def test_what_is_wrong_is_named_as_it_was_typed(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"DIR .*one of the two"):
        serve(None)
    with pytest.raises(OperatorError, match="one of the two"):
        serve(folder, tmp_path / "fleet.toml")
    with pytest.raises(OperatorError, match=r"--address = '192\.0\.2\.1': .*needs --certificate and --key"):
        serve(folder, address="192.0.2.1")
    with pytest.raises(OperatorError, match="is not the folder of a crawl"):
        serve(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_the_help_says_what_it_is_for() -> None:
    from skitter.cli.app import app

    assert "it never slows the crawl" in CliRunner().invoke(app("serve"), ["serve", "--help"]).output
