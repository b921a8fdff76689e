"""schemathesis asks for all that is on the OpenAPI page, as it says and as it does not: answers are as it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.asking import TOKENS, Served

ROOT = Path(__file__).parents[2]
EXAMPLES = 2
CONFIG = """
hooks = "tests.api.schema_checks"
request-timeout = 300
warnings = false

# That a crawl does not know a host, or that a key was used before, no schema can tell.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "404", "410", "422"]

# A list that is too long makes a body that is too long.
[checks.negative_data_rejection]
expected-statuses = ["400", "404", "405", "413", "415", "422"]

[[operations]]
include-path = "/v1/events"
enabled = false
"""


@pytest.mark.slow
def test_every_route_answers_as_its_page_says(told: Served, tmp_path: Path) -> None:
    told.get("/v1/hosts")  # the first survey is made
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG, encoding="utf-8")
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config)),
        *("run", f"http://{told.host}/openapi.json", "-H", f"Authorization: Bearer {TOKENS['operator']}"),
        *("--phases", "fuzzing", "--max-examples", str(EXAMPLES), "--seed", "1", "--no-color"),
    ]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False)
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
    assert "Tested: 34" in ran.stdout, ran.stdout[-1000:]
