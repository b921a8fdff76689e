"""The page in our hands is known to whoever comes after a process that died, and nobody is blamed else."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from skitter.errors import MachineError
from skitter.node.crash_marker import opened_crash_marker

PLACE = (63, bytes(range(16)))

DYING = """
import os, signal, sys
from pathlib import Path
from skitter.node.crash_marker import opened_crash_marker
with opened_crash_marker(Path(sys.argv[1]), 2) as marker, marker.holding(63, bytes(range(16))):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path


def test_nothing_is_held_before_and_after(folder: Path) -> None:
    with opened_crash_marker(folder, 2) as marker:
        assert marker.left() is None
        with marker.holding(*PLACE):
            assert marker.left() == PLACE
        assert marker.left() is None


def test_an_error_that_python_saw_is_not_a_death(folder: Path) -> None:
    with opened_crash_marker(folder, 2) as marker:
        with pytest.raises(ZeroDivisionError), marker.holding(*PLACE):
            raise ZeroDivisionError
        assert marker.left() is None


@pytest.mark.slow
def test_what_a_process_held_when_it_was_killed_is_left(folder: Path) -> None:
    died = subprocess.run([sys.executable, "-c", DYING, str(folder)], check=False)
    assert died.returncode == -signal.SIGKILL
    with opened_crash_marker(folder, 1) as other:
        assert other.left() is None
    with opened_crash_marker(folder, 2) as marker:
        assert marker.left() == PLACE
        marker.drop()
        assert marker.left() is None


def test_a_file_that_was_cut_holds_nothing(folder: Path) -> None:
    (folder / "run" / "node-2.reading").write_bytes(b"")
    with opened_crash_marker(folder, 2) as marker:
        assert marker.left() is None


def test_a_file_that_can_not_be_opened_is_named(folder: Path) -> None:
    (folder / "run" / "node-2.reading").symlink_to("/proc/nowhere")
    with pytest.raises(MachineError, match=r"node-2\.reading.*Mend the disk"), opened_crash_marker(folder, 2):
        pass
