"""What grows faster than its size is told from what grows with it."""

from __future__ import annotations

from functools import partial

import pytest

from tests.growth.clock import dearer


def linear(size: int) -> None:
    for _ in range(size):
        pass


def quadratic(size: int) -> None:
    for _ in range(size):
        linear(size)


@pytest.mark.slow
def test_ten_times_the_size() -> None:
    assert dearer(partial(linear, 100_000), partial(linear, 1_000_000), 12) <= 12
    assert dearer(partial(quadratic, 100), partial(quadratic, 1_000), 12) > 50
    assert dearer(partial(quadratic, 100), partial(quadratic, 1_000), 12, grace=3600) == 0
