"""The picture of packages in docs/tour.md is true: imports go downward only, and what is pure touches no world.

Packages of one line never import one another, so each can be read and replaced alone.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from skitter import ports

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "skitter"
TOUR = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
BUILT = {"_native", "_tls"}  # by Rust: below everything
ENTRANCE = {"__main__", "__init__"}  # above everything
PURE_MARK = "·"
IMPURE = {"asyncio", "socket", "time", "random", "os", "pathlib", "threading", "subprocess", "logging", "ssl"}


def picture() -> list[dict[str, bool]]:
    """Returns the lines of the picture, the lowest first: packages, and whether they are pure."""
    block = re.search(r"```packages\n(.*?)```", TOUR, re.DOTALL)
    assert block is not None
    found = []
    for line in reversed(block[1].splitlines()):
        words = re.split(r"\s{2,}", line)
        names = [word for word in words if re.fullmatch(rf"[a-z]+( {PURE_MARK})?", word)]
        found.append({name.removesuffix(f" {PURE_MARK}"): name.endswith(PURE_MARK) for name in names})
    return found


PICTURE = picture()
LEVEL = {part: level for level, parts in enumerate([dict.fromkeys(BUILT), *PICTURE]) for part in parts}
PURE = {part for parts in PICTURE for part, is_pure in parts.items() if is_pure}


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if part_of(path) not in ENTRANCE)


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def says_it_is_pure(path: Path) -> bool:
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return re.search(r"\bPure\b", told.partition("\n\n")[0]) is not None


def test_the_picture_has_every_package_and_no_other() -> None:
    assert {part_of(path) for path in modules()} | BUILT == LEVEL.keys()


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_downward(path: Path) -> None:
    mine = part_of(path)
    for name in imported(path):
        if not name.startswith("skitter."):
            continue
        theirs = name.split(".")[1]
        if theirs not in (mine, "__version__"):
            assert LEVEL[theirs] < LEVEL[mine], f"{mine} imports {theirs}, which is not below it"


@pytest.mark.parametrize(
    "path", [p for p in modules() if part_of(p) in PURE or says_it_is_pure(p)], ids=lambda p: str(p.relative_to(SOURCE))
)
def test_what_is_pure_does_not_touch_the_world(path: Path) -> None:
    touched = {name.split(".")[0] for name in imported(path)} & IMPURE
    assert not touched, f"{path.relative_to(SOURCE)} is pure and must not import {sorted(touched)}"


def test_the_table_has_every_port_with_who_keeps_its_contract() -> None:
    rows = re.findall(r"^\| (`[^|]*) \| (.*?) \|$", TOUR, re.MULTILINE)
    named = {name for names, _ in rows for name in re.findall(r"`(\w+)`", names)}
    protocols = {
        name for name, one in inspect.getmembers(ports, inspect.isclass) if getattr(one, "_is_protocol", False)
    }
    assert named == {name for name in protocols if getattr(ports, name).__module__ == ports.__name__}
    for names, files in rows:
        for file in re.findall(r"`([\w/]+\.py)`", files):
            found = [root / file for root in (SOURCE, ROOT) if (root / file).exists()]
            assert found, f"{names}: there is no {file}"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for file in re.findall(r"`((?:\w+/)+\w+\.(?:py|rs))(?:::\w+)?`", text):
        roots = (ROOT, SOURCE, ROOT / "native" / "src", ROOT / "native")
        assert any((root / file).exists() for root in roots), f"{page.name} names {file}"
