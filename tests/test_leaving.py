"""A process that leaves at once says what it has to say first, and ends as it was told to."""

from __future__ import annotations

import subprocess
import sys

import pytest

WORK = """
import atexit, sys
from skitter.leaving import leave_after
def work():
    sys.stdout.write("said")
    sys.stderr.write("complained")
    atexit.register(sys.stdout.write, ", and took its time")
    {}
leave_after(work)
"""

ENDS = {
    "by itself": ("return", 0, "complained"),
    "with a code": ("sys.exit(3)", 3, "complained"),
    "with none": ("sys.exit()", 0, "complained"),
    "with a word": ("sys.exit('no')", 1, "complainedno\n"),
}


def ended(how: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WORK.format(how)], capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(("how", "code", "complaint"), ENDS.values(), ids=ENDS)
def test_what_was_said_is_out_and_nothing_is_taken_apart(how: str, code: int, complaint: str) -> None:
    end = ended(how)
    assert (end.returncode, end.stdout, end.stderr) == (code, "said", complaint)


@pytest.mark.slow
def test_a_bug_is_told_as_ever() -> None:
    end = ended("1 / 0")
    assert end.returncode == 1
    assert "ZeroDivisionError" in end.stderr


@pytest.mark.slow
def test_a_reader_who_has_seen_enough_is_no_failure() -> None:
    # With its output in a buffer, as it is by default: it meets the broken pipe on its way out.
    buffered = f"env -u PYTHONUNBUFFERED {sys.executable}"
    command = f"{buffered} -c '{WORK.format('return')}' 2>/dev/null | true; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 0
