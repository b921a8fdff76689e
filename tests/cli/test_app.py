"""Every command is there, whether it is loaded alone or with all others."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from skitter import __version__
from skitter.cli.app import COMMANDS, app


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_alone_is_what_it_is_among_all(name: str) -> None:
    alone, among = (CliRunner().invoke(made, [name, "--help"]) for made in (app(name), app()))
    assert (alone.exit_code, alone.output) == (0, among.output)
    assert f" {name} " in alone.output


@pytest.mark.parametrize("first", [None, "--help", "no-command"], ids=str)
def test_whoever_names_none_is_shown_all(first: str | None) -> None:
    shown = CliRunner().invoke(app(first), ["--help"]).output
    assert [name for name in COMMANDS if f" {name} " not in shown] == []


def test_a_slip_is_told_what_was_meant() -> None:
    told = CliRunner().invoke(app("crwl"), ["crwl"])
    assert told.exit_code == 2
    assert "Did you mean 'crawl'" in told.output


def test_the_version() -> None:
    assert CliRunner().invoke(app("--version"), ["--version"]).output == f"skitter {__version__}\n"
