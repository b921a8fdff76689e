"""The supervisor and what it decides with touch nothing but their arguments: so they run in the simulator too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_imports import IMPURE, SOURCE, imported

PURE = ["grants", "heartbeats", "ending", "progress", "shares"]
IN_VIRTUAL_TIME = ["supervisor", "child", "processes"]
ALLOWED = {"asyncio", "pathlib"}
"""To wait, and to name the folder in what is said: no file in it is touched."""

TOUCHING = ("skitter.folder", "skitter.supervisor.real", "skitter.supervisor.run", "sys")


def file(name: str) -> Path:
    return SOURCE / "supervisor" / f"{name}.py"


@pytest.mark.parametrize("name", PURE)
def test_what_decides_is_pure(name: str) -> None:
    assert not {module.split(".")[0] for module in imported(file(name))} & IMPURE


@pytest.mark.parametrize("name", [*PURE, *IN_VIRTUAL_TIME])
def test_the_supervisor_knows_neither_processes_nor_files(name: str) -> None:
    modules = set(imported(file(name)))
    assert not {module.split(".")[0] for module in modules} & (IMPURE - ALLOWED)
    assert not [module for module in modules if module.startswith(TOUCHING)]
    text = file(name).read_text(encoding="utf-8")
    assert not [call for call in ("subprocess", "to_thread", ".open(", ".read_", ".write_", ".exists(") if call in text]
