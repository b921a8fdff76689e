"""What is asked for in Python, and how a mistake in it is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import skitter
from skitter.library.options import KEYS, Options, planned
from skitter.settings import PolitenessSettings, ScopeSettings

SEED = "http://127.0.0.1/"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKITTER_CONTACT", raising=False)


MISTAKES: dict[str, tuple[dict[str, Any], str, str]] = {
    "unknown option": ({"max_page": 3}, "max_page", "did you mean max_pages?"),
    "seed of another type": ({"seeds": [3]}, "seeds", "URL"),
    "seeds of another type": ({"seeds": 3}, "seeds", "URL"),
    "negative delay": ({"delay": -1}, "delay", "a number from 0"),
    "delay as words": ({"delay": "soon"}, "delay", "a number from 0"),
    "scope": ({"scope": "world"}, "scope", '"domain"'),
    "no pages": ({"max_pages": 0}, "max_pages", "from 1"),
    "half a worker": ({"workers": 0.5}, "workers", "from 1"),
    "endless": ({"max_seconds": float("nan")}, "max_seconds", "seconds"),
    "unknown key": ({"settings": {"politeness.dely": 1}}, "politeness.dely", "did you mean politeness.delay?"),
    "bad value of a key": ({"settings": {"politeness.delay": []}}, "politeness.delay", "a number from 0"),
    "settings of another type": ({"settings": 7}, "settings", "mapping"),
    "settings file not there": ({"settings": "/nowhere/at/all.toml"}, "settings", "can't be read"),
    "contact": ({"contact": "me"}, "contact", "text that matches"),
    "empty out": ({"out": ""}, "out", "path"),
    "depth": ({"max_depth": "deep"}, "max_depth", "whole number"),
}


@pytest.mark.parametrize(("arguments", "key", "right"), MISTAKES.values(), ids=MISTAKES)
@pytest.mark.parametrize("face", [skitter.Crawl, skitter.CrawlSync, skitter.crawl])
def test_a_mistake_names_the_argument(face: Any, arguments: dict[str, Any], key: str, right: str) -> None:
    with pytest.raises(skitter.OperatorError) as told:
        face(**{"seeds": SEED, **arguments})
    assert told.value.key == key
    assert right in told.value.right


LATE: dict[str, tuple[dict[str, Any], str, str]] = {
    "no seed": ({"seeds": ()}, "seeds", "at least one URL"),
    "seed that is no URL": ({"seeds": "http://"}, "seeds", "can't be crawled"),
    "no contact": ({"seeds": "https://example.org/"}, "contact", "say who you are with contact"),
    "address that is refused": ({}, "seeds", "allow_net NETWORK or allow_private allows it"),
    "network that is none": ({"allow_net": "127.0.0.0/99"}, "allow_net", ""),
    "hosts file not there": ({"hosts_file": "/nowhere/hosts"}, "hosts_file", ""),
}


@pytest.mark.parametrize(("arguments", "key", "right"), LATE.values(), ids=LATE)
def test_a_mistake_that_shows_at_the_start(tmp_path: Path, arguments: dict[str, Any], key: str, right: str) -> None:
    crawl = skitter.CrawlSync(**{"seeds": SEED, "out": tmp_path / "out", **arguments})
    with pytest.raises(skitter.OperatorError) as told, crawl:
        pass
    assert told.value.key == key
    assert right in told.value.right
    assert "--" not in str(told.value)


def test_out_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(skitter.OperatorError, match=r"^out = "), skitter.CrawlSync(SEED, tmp_path / "file"):
        pass


def test_later_words_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder's own settings, then a file, the environment, and what is said in Python."""
    out, file = tmp_path / "out", tmp_path / "mine.toml"
    out.mkdir()
    (out / "skitter.toml").write_text("[politeness]\ndelay = 2\nmax_tries = 2\naddress_rate = 2\n")
    file.write_text("[politeness]\nmax_tries = 3\naddress_rate = 3\n[scope]\nmax_depth = 3")
    monkeypatch.setenv("SKITTER_POLITENESS_ADDRESS_RATE", "4")
    settings = planned(SEED, out, {"settings": str(file), "max_depth": 5}).given.settings
    politeness = settings.politeness
    assert (politeness.delay, politeness.max_tries, politeness.address_rate) == (2, 3, 4)
    assert settings.scope.max_depth == 5


def test_settings_as_a_value_are_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "skitter.toml").write_text("[politeness]\ndelay = 2\nmax_tries = 2\n")
    said = skitter.Settings(politeness=PolitenessSettings(delay=7), scope=ScopeSettings(deny=("x",)))
    settings = planned(SEED, tmp_path, {"settings": said, "scope": "host"}).given.settings
    assert settings.politeness == said.politeness
    assert settings.scope == ScopeSettings(deny=("x",), reach="host")


def test_none_is_as_if_nothing_was_said() -> None:
    nothing: Any = dict.fromkeys(Options.__annotations__)
    assert planned(SEED, None, nothing) == planned(SEED, None, {})


def test_every_option_is_known_to_the_table() -> None:
    others = {"settings", "max_pages", "max_seconds", "workers"}
    assert set(KEYS) | others == set(Options.__annotations__)


def test_a_folder_without_an_archive_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(skitter.OperatorError, match="has no folder"):
        skitter.read(tmp_path)


@pytest.mark.slow
def test_importing_costs_next_to_nothing() -> None:
    program = "import time; began = time.process_time(); import skitter; print(time.process_time() - began)"
    times = [float(subprocess.check_output([sys.executable, "-c", program])) for _ in range(7)]
    assert min(times) < 0.15


@pytest.mark.slow
def test_every_public_name_is_there() -> None:
    program = "import skitter; print(*(type(getattr(skitter, name)).__name__ for name in skitter.__all__)); skitter.x"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert len(told.stdout.split()) == len(skitter.__all__) == len(dir(skitter))
    assert "module 'skitter' has no attribute 'x'" in told.stderr
