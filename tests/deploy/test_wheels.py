"""Wheels are looked at before anybody has them: those without a module, or for a newer Linux, are refused."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from deploy.wheels import MODULES, faults, glibc


def wheel(folder: Path, modules: dict[str, bytes]) -> Path:
    made = folder / "skitter-1-cp311-abi3-manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(made, "w") as packed:
        for name, body in modules.items():
            packed.writestr(name, body)
    return made


@pytest.mark.parametrize(
    ("symbols", "needs"),
    [
        (b"\0memcpy\0GLIBC_2.14\0GLIBC_2.2.5\0", (2, 14)),
        (b"GLIBC_2.9\0GLIBC_2.17\0GLIBC_2.3.4", (2, 17)),
        (b"GLIBC_2.34", (2, 34)),
        (b"nothing", (0, 0)),
    ],
)
def test_what_a_module_needs_is_its_newest_symbol(symbols: bytes, needs: tuple[int, int]) -> None:
    assert glibc(symbols) == needs


def test_a_good_wheel_has_no_faults(tmp_path: Path) -> None:
    assert faults(wheel(tmp_path, dict.fromkeys(MODULES, b"\x00GLIBC_2.17\x00"))) == []


def test_a_module_that_is_missing_is_told(tmp_path: Path) -> None:
    told = faults(wheel(tmp_path, {MODULES[0]: b"\0GLIBC_2.17\0"}))
    assert [MODULES[1] in fault for fault in told] == [True]


def test_a_module_for_a_newer_linux_is_told(tmp_path: Path) -> None:
    told = faults(wheel(tmp_path, {MODULES[0]: b"\0GLIBC_2.17\0", MODULES[1]: b"\0GLIBC_2.34\0"}))
    assert [MODULES[1] in fault and "2.34" in fault for fault in told] == [True]
