"""The command line as an operator meets it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from skitter import __version__
from skitter.tools.answers import NAMES


def skitter(
    *arguments: str, environ: dict[str, str] | None = None, given: bytes = b""
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "skitter", *arguments]
    run = subprocess.run(command, input=given, capture_output=True, timeout=60, check=False, env=environ)
    return subprocess.CompletedProcess(command, run.returncode, run.stdout.decode(), run.stderr.decode())


pytestmark = pytest.mark.slow


def test_version() -> None:
    assert skitter("--version").stdout == f"skitter {__version__}\n"


def test_config_says_where_a_value_came_from(tmp_path: Path) -> None:
    file = tmp_path / "crawl.toml"
    file.write_text("[url]\nmax_length = 100\n")
    run = skitter(
        "config", "--config", str(file), "--set", "politeness.delay=3", environ={"SKITTER_SCOPE_REACH": "any"}
    )
    assert run.returncode == 0
    assert f"max_length = 100  # {file}\n" in run.stdout
    assert "delay = 3.0  # flag\n" in run.stdout
    assert 'reach = "any"  # SKITTER_SCOPE_REACH\n' in run.stdout


def test_the_default_file_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "default.toml"
    file.write_text(skitter("config", "--default").stdout, encoding="utf-8")
    assert skitter("config", "--config", str(file)).stdout == skitter("config").stdout


MISTAKES = [
    (["config", "--set", "politeness.delay=-1"], "politeness.delay = '-1': must be a number from 0 to 86400"),
    (["config", "--set", "politeness.dely=1"], "did you mean politeness.delay?"),
    (["config", "--set", "delay"], "--set = 'delay': must be KEY=VALUE"),
    (["config", "--config", "/no/such/file"], "--config = '/no/such/file': can't be read"),
    (["tools", "urls", "--set", "url.max_length=no"], "url.max_length = 'no': must be a whole number from 64 to 65536"),
    (["nonsense"], "No such command 'nonsense'"),
]


@pytest.mark.parametrize(("arguments", "told"), MISTAKES, ids=[" ".join(row[0]) for row in MISTAKES])
def test_a_mistake_ends_with_2_and_says_what_would_be_right(arguments: list[str], told: str) -> None:
    run = skitter(*arguments)
    assert run.returncode == 2
    assert told in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


@pytest.mark.parametrize("tool", NAMES)
def test_the_example_in_the_help_of_a_tool_works(tool: str) -> None:
    shown = " ".join(skitter("tools", tool, "--help", environ={"COLUMNS": "500", "TERM": "dumb"}).stdout.split())
    example = shown.split("printf '%s\\n' ")[1].split(" | skitter tools")[0]
    run = skitter("tools", tool, given="\n".join(shlex.split(example)).encode())
    assert run.stdout.startswith('{"id": 1, ')
    assert "error" not in run.stdout


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    lines = b'{"id": 1, "op": "parse", "input": "http://a.org"}\n' * 20_000
    command = f"{sys.executable} -m skitter tools urls | head -n 1"
    run = subprocess.run(command, shell=True, input=lines, capture_output=True, timeout=60, check=False)  # noqa: S602
    assert run.stdout.count(b"\n") == 1
    assert run.stderr == b""
