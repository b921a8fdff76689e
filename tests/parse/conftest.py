"""Both scanners, for the tests that hold for either."""

from __future__ import annotations

import pytest

from skitter.parse import reference, scanner
from skitter.parse.scanner import Scanner


@pytest.fixture(scope="session", params=["reference", "native"])
def scan(request: pytest.FixtureRequest) -> Scanner:
    if request.param == "reference":
        return reference.scan
    if not scanner.IS_NATIVE:
        pytest.skip("the native scanner was not built: no Rust toolchain")
    return scanner.native
