"""Imports go downward only: messages, then the pure parts, then the parts with I/O, then node, api, cli.

Parts of one layer never import one another, so each can be read and replaced alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "skitter"

LAYERS = [
    {"_native", "_tls"},
    {"kernel"},
    {"errors", "messages", "settings"},
    {"url"},
    {"robots", "politeness"},
    {"parse", "schedule"},
    {"judge"},
    {"ports"},
    {"config", "clock", "leaving"},
    {"shard", "dns", "fetch", "render", "store", "bus", "simweb"},
    {"frontier", "audit", "tools"},
    {"folder"},
    {"node"},
    {"supervisor"},
    {"inspection", "metrics", "library"},
    {"api"},
    {"cli"},
    {"__main__"},
]
PURE = {part for parts in LAYERS[:8] for part in parts}
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
IMPURE = {"asyncio", "socket", "time", "random", "os", "pathlib", "threading", "subprocess", "logging", "ssl"}


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_downward(path: Path) -> None:
    mine = part_of(path)
    assert mine in LEVEL, f"{mine} has no layer: give it one in LAYERS"
    for name in imported(path):
        if not name.startswith("skitter."):
            continue
        theirs = name.split(".")[1]
        if theirs in (mine, "__version__"):
            continue
        assert LEVEL[theirs] < LEVEL[mine], f"{mine} imports {theirs}, which is not below it"


@pytest.mark.parametrize("path", [p for p in modules() if part_of(p) in PURE], ids=lambda p: p.stem)
def test_pure_parts_do_not_touch_the_world(path: Path) -> None:
    touched = {name.split(".")[0] for name in imported(path)} & IMPURE
    assert not touched, f"{path.relative_to(SOURCE)} is pure and must not import {sorted(touched)}"
