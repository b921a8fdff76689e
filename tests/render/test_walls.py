"""The walls around a browser: with a namespace and without, nothing arrives at a canary; with none, something does."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from skitter.messages import Failure
from skitter.ports import Given, Rendered, Wanted
from skitter.render import command
from skitter.render.canary import PAGES, given, listening
from skitter.render.pool import Pool
from skitter.render.walls import OUTWARD, Walls, raise_walls
from skitter.render.ways import WAYS
from skitter.settings import RenderSettings
from tests.servers.browser import browser, render_settings

IS_ROOT = os.geteuid() == 0
BARE = {"namespace": False, "sandbox": not IS_ROOT}


async def tried(settings: RenderSettings) -> tuple[str, list[str], set[str]]:
    """Returns the trouble of a pool, what arrived at a canary of our own, and the ways that were asked for of us."""
    asked: set[str] = set()
    async with Pool(settings, agent="skitter") as pool, listening() as (canary, address):

        async def give(wanted: Wanted) -> Given:
            asked.add(wanted.url.rpartition("/")[2])
            return given(wanted, PAGES[1], address)

        found = await pool.render(PAGES[1], give)
        assert isinstance(found, Failure if pool.trouble else Rendered)
        return pool.trouble, canary.arrived, asked


@pytest.mark.slow
@pytest.mark.parametrize("walls", [{}, BARE], ids=["namespace", "flags alone"])
def test_nothing_arrives_but_through_us(walls: dict[str, Any]) -> None:
    settings = render_settings(max_requests=1000, **walls)
    if not walls and not getattr(raise_walls(settings), "space", ()):
        pytest.skip("there are no namespaces on this machine")
    trouble, arrived, asked = asyncio.run(tried(settings))
    assert (trouble, arrived) == ("", [])
    assert {"fetch", "sync", "w-fetch", "service", "redirected", "name", "six", "download"} <= asked


@pytest.mark.slow
def test_a_breach_is_seen_and_nothing_is_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "OUTWARD", ())
    trouble, _, asked = asyncio.run(tried(render_settings(**BARE)))
    assert "came through" in trouble
    assert asked == set()


SPACE = ("unshare", "--user", "--map-root-user", "--net", "--mount")


def names_asked(*more: str) -> list[str]:
    """Returns the names that a browser without a namespace has asked its name server for, in a world of its own."""
    if browser() is None:
        pytest.skip("there is no browser: `make servers` brings one")
    if shutil.which("unshare") is None or subprocess.run([*SPACE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("there are no namespaces on this machine")
    command = [*SPACE, sys.executable, "-m", "tests.render.names", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    names: list[str] = json.loads(done.stdout)
    return names


@pytest.mark.slow
def test_no_name_server_is_asked_for_anything() -> None:
    assert names_asked() == []


@pytest.mark.slow
def test_a_name_server_that_is_asked_is_seen() -> None:
    assert "socket.skitter.test" in names_asked("--no-flags")


def test_there_are_many_ways() -> None:
    assert len(WAYS) >= 60


def test_without_a_sandbox_to_be_had_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    walls = raise_walls(RenderSettings(namespace=False))
    assert isinstance(walls, str)
    assert "render.sandbox = false" in walls
    assert raise_walls(RenderSettings(namespace=False, sandbox=False)) == Walls((), is_sandboxed=False)


def test_another_user_has_the_sandbox_without_a_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert raise_walls(RenderSettings(namespace=False)) == Walls((), is_sandboxed=True)


def test_the_flags_are_always_there() -> None:
    words = command.command("b", Walls((), is_sandboxed=True), RenderSettings(), agent="skitter", folder="/f")
    assert {*OUTWARD, "--user-agent=skitter"} <= set(words)
    assert {"--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>"} <= set(OUTWARD)
    assert "--no-sandbox" not in words
