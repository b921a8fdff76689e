"""What an operator may get wrong: the error names it and says what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from skitter.cli.app import app
from skitter.errors import OperatorError

MISTAKES = [
    (["crawl"], r"URL = '': name at least one URL to begin with, or with --out the crawl to go on with"),
    (["crawl", "https://a.org/"], r"--contact = '': say who you are .* so that the owner of a\.org can ask about you"),
    (["crawl", "http://["], r"URL = 'http://\[': can't be crawled"),
    (["crawl", "http://127.0.0.1/"], r"URL = 'http://127\.0\.0\.1/': its address is refused \(loopback\); --allow-net"),
    (["crawl", "127.0.0.1", "--delay", "-1"], r"--delay = -1\.0: must be a number from 0 to 86400"),
    (["crawl", "127.0.0.1", "--scope", "world"], r"--scope = 'world': must be one of \"any\", \"domain\", \"host\""),
    (["crawl", "127.0.0.1", "--max-depth", "-1"], r"--max-depth = -1: must be a whole number from 0 to 1000000"),
    (["crawl", "127.0.0.1", "--allow-net", "127.2.0.1/16"], r"--allow-net = '127\.2\.0\.1/16': write a network as"),
    (["crawl", "127.0.0.1", "--contact", "me"], r"--contact = 'me': must be text that matches"),
    (["crawl", "127.0.0.1", "--hosts-file", "/no/such"], r"--hosts-file = '/no/such': can't be read"),
    (["crawl", "127.0.0.1", "--config", "/no/such"], r"--config = '/no/such': can't be read"),
    (["crawl", "--seeds", "/no/such"], r"--seeds = '/no/such': can't be read"),
    (["crawl", "--out", "empty"], r"URL = '': at least one URL to start from is needed"),
    (["status", "empty"], r"DIR = 'empty': is not the folder of a crawl: it has no crawl\.json"),
    (["hosts", "empty"], r"is not the folder of a crawl"),
    (["why", "empty", "http://a.org/"], r"is not the folder of a crawl"),
    (["dead", "list", "empty"], r"is not the folder of a crawl"),
    (["seeds", "add", "empty", "http://a.org/"], r"is not the folder of a crawl"),
    (["pause", "empty", "a.org"], r"is not the folder of a crawl"),
    (["seeds", "add", "empty"], r"URL = '': name at least one URL"),
    (["rate", "empty", "a.org"], r"SECONDS = None: write the seconds that were agreed on, or --clear"),
    (["rate", "empty", "a.org", "3", "--clear"], r"SECONDS = 3\.0: write the seconds that were agreed on, or --clear"),
]


@pytest.fixture(autouse=True)
def _in_an_empty_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SKITTER_CONTACT", raising=False)


@pytest.mark.parametrize(("arguments", "told"), MISTAKES, ids=[" ".join(row[0]) for row in MISTAKES])
def test_a_mistake_says_what_would_be_right(arguments: list[str], told: str) -> None:
    with pytest.raises(OperatorError, match=told) as raised:
        CliRunner().invoke(app(), arguments, catch_exceptions=False)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize(
    "arguments", [["crawl", "127.0.0.1", "--max-pages", "0"], ["crawl", "--workers", "none"], ["rate", "d", "h", "-1"]]
)
def test_what_typer_finds_wrong_ends_with_2_too(arguments: list[str]) -> None:
    assert CliRunner().invoke(app(), arguments).exit_code == 2
