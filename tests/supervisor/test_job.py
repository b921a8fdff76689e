"""From what was asked for to a job: one way for the command line and the library."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skitter.config.load import load
from skitter.config.show import to_toml
from skitter.supervisor.job import Job, Plan, settings_for


def test_the_folder_then_files_then_the_environment_then_flags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [f"politeness.{name}" for name in ("delay", "max_delay", "max_retry_after", "max_tries")]
    earlier = load(flags=dict(zip(keys, (2, 100, 200, 2), strict=True))).settings
    (tmp_path / "skitter.toml").write_text(to_toml(earlier))
    file = tmp_path / "more.toml"
    file.write_text("[politeness]\nmax_delay = 101\nmax_retry_after = 201\nmax_tries = 3\n")
    monkeypatch.setenv("SKITTER_POLITENESS_MAX_RETRY_AFTER", "202")
    monkeypatch.setenv("SKITTER_POLITENESS_MAX_TRIES", "4")
    found = settings_for(tmp_path, [file], {"politeness.max_tries": 5}).settings.politeness
    assert (found.delay, found.max_delay, found.max_retry_after, found.max_tries) == (2, 101, 202, 5)
    assert settings_for(None, [], {}).settings.politeness.delay == 1, "a temporary folder has no earlier run"


def test_a_hosts_file_is_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = settings_for(None, [], {"dns.hosts_file": "hosts"})
    assert given.settings.dns.hosts_file == str(tmp_path / "hosts")
    assert settings_for(None, [], {}).settings.dns.hosts_file == ""


CORES = len(os.sched_getaffinity(0))


@pytest.mark.parametrize(("workers", "shards", "nodes"), [(None, 64, CORES), (3, 64, 3), (3, 2, 2), (None, 1, 1)])
def test_how_many_nodes(workers: int | None, shards: int, nodes: int, tmp_path: Path) -> None:
    given = load(flags={"frontier.shards": shards})
    job = Plan(None, given, ["a.org"], workers, 7, 8.0).job(tmp_path)
    assert job == Job(tmp_path, given.settings, ["a.org"], nodes, 7, 8.0)
