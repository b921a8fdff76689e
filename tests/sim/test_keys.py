"""Keys in blocks are what a sorted list is."""

from __future__ import annotations

from random import Random

import pytest

from skitter.sim import keys
from skitter.sim.keys import Keys


@pytest.mark.parametrize("seed", range(20))
def test_keys_are_in_order_whatever_comes_and_goes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "BLOCK", 4)
    draw, mine, plain = Random(seed), Keys(), set[bytes]()
    for _ in range(400):
        key = b"%d" % draw.randrange(150)
        if key in plain:
            plain.remove(key)
            mine.remove(key)
        else:
            plain.add(key)
            mine.add(key)
    assert list(mine.since(b"")) == sorted(plain)
    assert len(mine) == len(plain)
    for start, after in ((b"3", b""), (b"3", b"35"), (b"5", b"4"), (b"99", b"99"), (b"a", b"")):
        wanted = [key for key in sorted(plain) if key >= start and (not after or key > after)]
        assert list(mine.since(start, after)) == wanted


def test_a_copy_is_changed_apart() -> None:
    first = Keys()
    first.add(b"a")
    second = first.copy()
    second.add(b"b")
    assert (list(first.since(b"")), list(second.since(b""))) == ([b"a"], [b"a", b"b"])
