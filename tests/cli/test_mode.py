"""`skitter mode` on real processes: nothing is fetched, the crawl stops, and later it goes on where it was."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skitter.audit.audit import audit
from tests.cli.test_forever import last_run, wait_until

if TYPE_CHECKING:
    from tests.cli.conftest import Web

pytestmark = pytest.mark.slow


def skitter(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "skitter", *words], capture_output=True, text=True, check=False, timeout=60
    )


def begun_in_maintenance(command: list[str], out: Path, log: Path) -> subprocess.Popen[str]:
    """Returns a crawl that is up and fetches nothing."""
    with log.open("w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, text=True)
    wait_until(lambda: "mode 3 (maintenance" in log.read_text(), process)
    wait_until(lambda: last_run(out).get("ended", "") is None and last_run(out)["nodes"], process)
    return process


def test_maintenance_full_stop_and_all_again(command: list[str], web: Web, tmp_path: Path) -> None:
    """It can't end by itself while nothing is fetched: however slow the machine is, it is up when it is told."""
    out, log = tmp_path / "out", tmp_path / "log"
    crawl = [*command, "--out", str(out)]
    first = subprocess.run([*crawl, "--max-pages", "3", "--quiet"], check=False, timeout=120)
    assert first.returncode == 3
    assert skitter("mode", str(out), "3").returncode == 0

    with begun_in_maintenance(crawl, out, log) as process:
        time.sleep(2)
        assert last_run(out)["counted"]["requests"] == 0, "nothing is fetched"
        assert "Mode:     3 (maintenance" in skitter("status", str(out)).stdout
        assert json.loads(skitter("status", str(out), "--json").stdout)["mode"] == 3
        assert skitter("mode", str(out), "4").returncode == 0
        process.wait(timeout=60)
    assert process.returncode == 3, log.read_text()
    assert "Stopped by mode 4" in log.read_text()

    again = subprocess.run([*crawl, "--quiet"], capture_output=True, text=True, check=False, timeout=60)
    assert again.returncode == 2
    assert f"skitter mode {out} 0" in again.stderr
    wrong = skitter("mode", str(out), "7")
    assert wrong.returncode == 2
    assert "must be 0 to 4" in wrong.stderr

    assert skitter("mode", str(out), "3").returncode == 0
    with begun_in_maintenance(crawl, out, log) as process:
        assert "Mode 0 (as set)" in skitter("mode", str(out), "0").stdout
        process.wait(timeout=120)
    assert process.returncode == 0, log.read_text()
    states = json.loads(skitter("status", str(out), "--json").stdout)["urls"]
    assert (states["queued"], states["done"] >= 24) == (0, True)
    assert audit(out).is_clean
