"""A store over its log: read as written, at once, whatever of it has gone down to the store below."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from skitter.shard import keys
from skitter.shard.log.layers import Layer
from skitter.shard.log.store import LogStore, Position, position_of
from skitter.sim.disk import MemoryDisk
from skitter.sim.life import Life
from skitter.sim.stores import MemoryStores

KEYS = st.binary(min_size=1, max_size=2)
CHANGES = st.lists(st.tuples(KEYS, st.none() | st.binary(max_size=2)), max_size=6)
DOES = st.lists(st.one_of(CHANGES, st.just("layer"), st.just("lower")), max_size=12)
ID = b"i" * 16


class Stack:
    """A store whose layers are begun and lowered by hand."""

    def __init__(self) -> None:
        self.below = MemoryStores(MemoryDisk(), Life("one")).open(3)
        self.store = LogStore(3, self.below, self._top)
        self.offset = 10
        self.is_open = False

    def _top(self, store: LogStore) -> Layer:
        if not self.is_open:
            store.layers.all.append(Layer())
            self.is_open = True
        return store.layers.all[-1]

    def lower(self, links: int | None = None) -> None:
        if self.store.layers.all:
            self.is_open = self.is_open and len(self.store.layers.all) > 1
            self.store.lower(self.store.layers.all[0], self.offset, ID, links)
            self.offset += 1

    def write(self, changes: list[tuple[bytes, bytes | None]]) -> None:
        batch = self.store.batch()
        for key, value in changes:
            if value is None:
                batch.delete(key)
            else:
                batch.put(key, value)
        self.store.write(batch)


@given(DOES, KEYS, st.just(b"") | KEYS)
def test_it_is_a_map_in_order_however_much_is_lowered(does: list[object], prefix: bytes, after: bytes) -> None:
    stack = Stack()
    model: dict[bytes, bytes | None] = {}
    for do in does:
        if do == "layer":
            stack.is_open = False
        elif do == "lower":
            stack.lower()
        else:
            assert isinstance(do, list)
            stack.write(do)
            model.update(do)
    wanted = {key: value for key, value in sorted(model.items()) if value is not None}
    assert dict(stack.store.iterate(b"")) == wanted
    some = [(key, value) for key, value in wanted.items() if key.startswith(prefix) and key > after]
    assert list(stack.store.iterate(prefix, after)) == some
    asked = [prefix, after, b"never"]
    assert stack.store.get_many(asked) == [model.get(key) for key in asked] == [stack.store.get(key) for key in asked]


def test_who_iterates_sees_the_moment_in_which_it_began() -> None:
    stack = Stack()
    stack.write([(b"a1", b""), (b"a3", b"")])
    stack.lower()
    stack.write([(b"a2", b""), (b"a5", b"")])
    begun: Callable[[], object] = stack.store.iterate(b"a").__next__
    assert begun() == (b"a1", b"")
    stack.write([(b"a2", b"new"), (b"a3", None), (b"a4", b"")])
    stack.lower()
    assert [begun() for _ in range(3)] == [(b"a2", b""), (b"a3", b""), (b"a5", b"")]


def test_nothing_is_below_before_the_log_has_it_and_its_place_comes_with_it() -> None:
    stack = Stack()
    stack.write([(b"a", b"1")])
    assert list(stack.below.iterate(b"")) == []
    stack.lower(links=7)
    assert position_of(stack.below) == Position(11, 7, stack.store.position.owner)
    assert stack.below.get(b"a") == b"1"
    stack.write([(b"b", b"2")])
    stack.lower()
    assert (stack.store.position.next, stack.store.position.links) == (12, 7)
    assert stack.store.position.owner.owner == ID
    assert keys.LOG not in dict(stack.store.iterate(b""))
