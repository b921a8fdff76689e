"""The examples of docs/library.md, as they are written, against the simulated web."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import skitter

if TYPE_CHECKING:
    from tests.library.conftest import Web

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "library.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)

SAYS = (
    r"200 http://h0000\S+/ Page 0 of h0000.sim.test \d+ \d+\n(.*\n){19}",
    r"(http://\S+\n){5}[1-9]\d* more; \{'queued': 0, .*\n[1-9]\d* in all\n",
    r"0 None Page 0 of h0000.sim.test(.*\n)+20 pages, ended: pages\n",
    r"en http://h0000\S+/ Page 0 of h0000.sim.test\n(en http.*\n)*[1-9]\d* pages\n",
    r"(\d+ http://\S+\n)+",
    r"[1-9]\d{3,} bytes\n",
    r"dely → no such option; did you mean delay\?\n",
)


def test_every_example_does_what_it_says(web: Web, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "SKITTER_DNS_HOSTS_FILE": str(web.hosts_file),
        "SKITTER_DNS_ALLOW_NETS": web.world.settings.network,
        "SKITTER_POLITENESS_DELAY": "0.05",
        "SKITTER_NODE_LINGER": "0.5",
        "SKITTER_FRONTIER_SHARDS": "1",  # so that one node is enough, and five crawls start soon
    }
    running = []
    for number, example in enumerate(EXAMPLES):
        folder = tmp_path / str(number)
        folder.mkdir()
        script = folder / "script.py"
        script.write_text(example.replace("https://example.org/", web.seed))
        running.append(
            subprocess.Popen(
                [sys.executable, script], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        )
    for process, says, example in zip(running, SAYS, EXAMPLES, strict=True):
        out, told = process.communicate(timeout=60)
        assert not told, f"{told.decode()}\n{example}"
        assert re.fullmatch(says, out.decode()), f"{out.decode()}\n{example}"


def test_every_name_is_named() -> None:
    names = PAGE.read_text(encoding="utf-8").partition("## Names")[2]
    assert set(re.findall(r"\w+", names)) >= set(skitter.__all__)
