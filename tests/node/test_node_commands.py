"""A node takes what it is told, however early it is told."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from skitter.node.node import REPORT_EVERY
from skitter.node.order import Order
from skitter.node.status import Command, NodeStatus
from skitter.settings import Settings


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [1, 5000], ids=["short order", "order longer than any buffer"])
def test_a_stop_that_is_there_before_the_order_is_read_counts(tmp_path: Path, seeds: int) -> None:
    (tmp_path / "run").mkdir()
    hrefs = [f"http://127.0.0.1/{number}" for number in range(seeds)]
    told = [Order(str(tmp_path), 0, 1, Settings(), hrefs, budget=5), Command(grant=7), Command(stop=True)]
    # The pipe stays open, as the supervisor's does: only the command says that it is over.
    with subprocess.Popen(
        [sys.executable, "-m", "skitter.node"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as node:
        assert node.stdin is not None
        assert node.stdout is not None
        try:
            node.stdin.write(b"".join(msgspec.json.encode(message) + b"\n" for message in told))
            node.stdin.flush()
            assert node.wait(timeout=20) == 0
        finally:
            node.kill()
        last = msgspec.json.decode(node.stdout.read().splitlines()[-1], type=NodeStatus)
    assert last.stopped
    assert last.budget == 5 + 7, "a grant was lost"


@pytest.mark.slow
def test_a_question_is_answered_at_once(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "skitter.node"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as node:
        assert node.stdin is not None
        assert node.stdout is not None
        try:
            node.stdin.write(msgspec.json.encode(Order(str(tmp_path), 0, 1, Settings(), [], budget=None)) + b"\n")
            node.stdin.flush()
            node.stdout.readline()
            began = time.monotonic()
            for question in range(1, 41):
                node.stdin.write(msgspec.json.encode(Command(ask=question)) + b"\n")
                node.stdin.flush()
                while (said := msgspec.json.decode(node.stdout.readline(), type=NodeStatus)).asked < question:
                    pass
                assert (said.asked, said.idle) == (question, True)
            assert time.monotonic() - began < 40 * REPORT_EVERY / 2
        finally:
            node.kill()
