"""Main text and language on public pages whose truth is known, through `skitter tools` as any program would run it.

The pages are not ours and not in this repository: they are read from LABELLED_DIR, or from where a neighbouring
checkout has them. `docs/decisions/0018-main-text.md` says what is reached there; the floor is well below it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skitter.kernel import IS_NATIVE

ROOT = Path(__file__).parents[2]
LABELLED = Path(os.environ.get("LABELLED_DIR", ROOT.parent / "shared" / "data"))
FLOOR = {
    "article": 0.92,
    "collection": 0.75,
    "documentation": 0.88,
    "forum": 0.80,
    "listing": 0.70,
    "product": 0.70,
    "service": 0.82,
}


@pytest.mark.slow
@pytest.mark.skipif(not IS_NATIVE, reason="the native kernel was not built: no Rust toolchain")
@pytest.mark.skipif(not (LABELLED / "text").is_dir(), reason=f"the labelled pages are not at {LABELLED}")
def test_main_text_and_language_are_found_where_they_are_known() -> None:
    scorer = [sys.executable, LABELLED / "score" / "text.py", "--json", LABELLED / "text"]
    command = [*scorer, sys.executable, "-m", "skitter", "tools", "text"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    told = json.loads(run.stdout)
    pages = told["sets"]["pages"]
    assert pages["wrong_lines"] == 0
    assert {kind: mean for kind, (_, mean, _) in pages["by_type"].items() if mean < FLOOR[kind]} == {}
    assert pages["without"] <= 0.1
    assert pages["title"] >= 0.8
    assert told["lang"]["accuracy"] >= 0.97
