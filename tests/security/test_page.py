"""docs/security.md names the test for each thing that can't be done to us: each must exist, and none be left out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)))
FUZZED = sorted(set(re.findall(r"`fuzz:([a-z_]+)`", PAGE)))


def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize(("file", "test"), NAMED, ids=[f"{file}::{test}" for file, test in NAMED])
def test_a_test_that_is_named_exists(file: str, test: str) -> None:
    assert (ROOT / file).is_file()
    assert not test or test in functions(ROOT / file)


@pytest.mark.parametrize("target", FUZZED)
def test_a_fuzz_target_that_is_named_exists(target: str) -> None:
    sources = [(ROOT / "tests" / "fuzz" / f"{name}.py") for name in ("parsing", "wire", "archive", "choices", "api")]
    assert any(f"fuzz_{target}" in functions(source) for source in sources)


def test_no_security_test_is_left_out() -> None:
    named = {(file, test) for file, test in NAMED}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        file = str(path.relative_to(ROOT))
        for test in functions(path):
            if test.startswith("test_") and path.name != "test_page.py":
                assert (file, test) in named, f"docs/security.md does not name {file}::{test}"


def test_every_line_of_the_tables_names_what_shows_it() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| what", "| ---"))]
    assert len(lines) > 20
    for line in lines:
        assert "`tests/" in line or "`fuzz:" in line, line
