"""Public conformance suites and labelled pages, run through `skitter tools` as any other program would be.

The cases are not ours and not in this repository: they are read from CONFORMANCE_DIR and LABELLED_DIR, or from where a
neighbouring checkout has them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASES = Path(os.environ.get("CONFORMANCE_DIR", ROOT.parent / "shared" / "conformance"))
LABELLED = Path(os.environ.get("LABELLED_DIR", ROOT.parent / "shared" / "data"))

RUNS = [
    ("check_robots.py", "robots"),
    ("check_urls.py", "urls"),
    ("check_links.py", "links"),
    ("check_sitemaps.py", "sitemap"),
    ("check_charset.py", "charset"),
]


@pytest.mark.slow
@pytest.mark.skipif(not CASES.is_dir(), reason=f"the conformance cases are not at {CASES}")
@pytest.mark.parametrize(("runner", "tool"), RUNS, ids=[tool for _, tool in RUNS])
def test_all_public_cases_pass(runner: str, tool: str, tmp_path: Path) -> None:
    command = [sys.executable, CASES / runner, sys.executable, "-m", "skitter", "tools", tool]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    failures = "".join(path.read_text(encoding="utf-8")[:4000] for path in tmp_path.glob("failures_*.jsonl"))
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}\n{failures}"


@pytest.mark.slow
@pytest.mark.skipif(not (LABELLED / "near").is_dir(), reason=f"the labelled pages are not at {LABELLED}")
def test_near_duplicates_are_told() -> None:
    command = [sys.executable, LABELLED / "score" / "near.py", "--json", LABELLED / "near"]
    command += [sys.executable, "-m", "skitter", "tools", "near"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    score = json.loads(run.stdout)
    assert score["precision"] >= 0.99, score
    assert score["recall"] >= 0.97, score
    assert (score["translations_merged"], score["wrong_lines"]) == (0, 0), score
