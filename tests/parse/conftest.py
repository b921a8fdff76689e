"""Both scanners and both readers of metas, for the tests that hold for either."""

from __future__ import annotations

import pytest

from skitter.parse import metas, prescan, reference, scanner
from skitter.parse.metas import Declared
from skitter.parse.scanner import Scanner


@pytest.fixture(scope="session", params=["reference", "native"])
def scan(request: pytest.FixtureRequest) -> Scanner:
    if request.param == "reference":
        return reference.scan
    if not scanner.IS_NATIVE:
        pytest.skip("the native scanner was not built: no Rust toolchain")
    return scanner.native


@pytest.fixture(scope="session", params=["reference", "native"])
def by_meta(request: pytest.FixtureRequest) -> Declared:
    if request.param == "reference":
        return metas.declared
    if not scanner.IS_NATIVE:
        pytest.skip("the native kernel was not built: no Rust toolchain")
    assert prescan.declared is not metas.declared
    return prescan.declared
