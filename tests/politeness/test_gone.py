from __future__ import annotations

import pytest

from skitter.messages import Kind
from skitter.politeness.backoff import STATUSES
from skitter.politeness.gone import WAITS, back_by
from skitter.settings import DAY, HOUR

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("status", "most", "waits"),
    [
        (404, 3, [HOUR, DAY, 7 * DAY]),
        (404, 1, [HOUR]),
        (404, 0, []),
        (410, 3, [DAY]),
        (451, 3, [DAY]),
        (200, 3, []),
    ],
)
def test_waits_grow_and_end(status: int, most: int, waits: list[float]) -> None:
    asked = [back_by(status, tries, NOW, most) for tries in range(5)]
    assert asked == [*(NOW + wait for wait in waits), *[None] * (5 - len(waits))]


def test_every_status_that_says_gone_has_its_waits() -> None:
    assert WAITS.keys() == {status for status, kind in STATUSES.items() if kind is Kind.GONE}
