"""Kafka as `ports.Broker`: records that all copies have, and a group that shares the shards.

Two threads of ours with the synchronous client. One waits for acknowledgements. The other minds the group and reads
links; while it is told to give shards up, it goes on reading until they are given up, and only then lets others have
them. Nothing waits for the group's word to be safe: that is the log's (`shard.log.ownership`).
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Self

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from msgspec import Struct

from skitter.bus.membership import POLL, Membership
from skitter.bus.topics import MAX_BYTES, topic_name
from skitter.errors import MachineError
from skitter.ports import LINKS

TIMEOUT = 15.0
"""Seconds after which nobody can say any more what became of a record."""
SESSION = 6.0
"""Seconds after which a member that is not heard of is taken for dead: the least that brokers allow by themselves."""
HEARTBEAT = 0.3
"""Seconds after which a member hears, at the latest, that shards are dealt out anew: all wait for the last one."""
PATIENCE = 60.0
"""Seconds that others wait, at the most, for shards that we are to give up."""
NEWS = 3.0
"""Seconds after which we have heard of a partition that was made."""
SILENT = 5.0
"""Seconds after which a consumer that brings nothing of what is there is made anew: after the death of a broker one may
wait for ever for what it was asked for, and others with it."""
AT_ONCE = 500
REMEDY = "See that the brokers can be reached, then start the same command again: nothing that was settled is lost."


class _Followed(Struct):
    next: int
    take: Callable[[int, bytes], None]


class KafkaBroker:
    """One process's way to Kafka. `client` are settings for its library: servers, TLS, passwords.

    `member` is the name under which the group knows us: who comes back under it has its shards back at once, without
    its death being waited for. Two processes must not have one name: the later one is it (`bus.membership`).
    """

    def __init__(self, client: Mapping[str, Any], fleet: str, member: str = "") -> None:
        # A shard may be split while we run, and have a partition that was not there when we came.
        self._client = dict(client) | {"log_level": 0, "topic.metadata.refresh.interval.ms": int(1000 * NEWS)}
        self._fleet = fleet
        self._name = member
        self._links = topic_name(fleet, LINKS)
        self._member: Membership | None = None
        self._held: frozenset[int] = frozenset()
        self._followed: dict[int, _Followed] = {}
        self._orders: SimpleQueue[tuple[int, int | None]] = SimpleQueue()  # partition, and where to begin; None: end
        self._is_leaving = threading.Event()
        self._is_closing = threading.Event()
        self._fatal = ""
        self._lost: MachineError | None = None  # links that we were to follow
        self._reading = asyncio.Lock()
        self._at: tuple[str, int, int] | None = None

    def __repr__(self) -> str:
        return f"<KafkaBroker of {self._fleet}: {sorted(self.wanted())} wanted>"

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._producer = Producer(
            self._client
            | {
                "enable.idempotence": True,
                "acks": "all",
                "linger.ms": 2,
                "partitioner": "murmur2_random",  # by key, as clients in other languages do it
                "compression.type": "lz4",
                "message.timeout.ms": int(1000 * TIMEOUT),
                "message.max.bytes": MAX_BYTES,
                "queue.buffering.max.kbytes": 1024**2,
                "error_cb": self._note_error,
            }
        )
        self._replayer = Consumer(self._reading_settings("replay"))
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._hear, self._mind)]
        for thread in self._threads:
            thread.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._is_leaving.set()
        self._is_closing.set()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        await asyncio.to_thread(self._replayer.close)

    def _reading_settings(self, what: str) -> dict[str, Any]:
        return self._client | {
            "group.id": f"{self._fleet}.{what}",  # never joined: partitions are assigned by ourselves
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "fetch.message.max.bytes": MAX_BYTES,
            "fetch.wait.max.ms": 100,
        }

    def _note_error(self, error: KafkaError) -> None:
        if error.fatal():
            self._fatal = str(error)

    # Records

    async def append(self, topic: str, partition: int, record: bytes) -> int | None:
        """Returns the offset of a record that all copies have; None if nobody can say."""
        return await self._produce(topic, record, partition=partition)

    async def post(self, topic: str, key: str, record: bytes) -> int | None:
        """Returns the offset of a record under a key, in the partition of that key; None if nobody can say."""
        return await self._produce(topic, record, key=key.encode())

    async def _produce(self, topic: str, record: bytes, **where: Any) -> int | None:
        if self._fatal:
            raise MachineError(f"Kafka takes no more records ({self._fatal})", self._fleet, REMEDY)
        if self._lost is not None:
            raise self._lost
        answer: asyncio.Future[int | None] = self._loop.create_future()

        name = topic_name(self._fleet, topic)

        def heard(error: KafkaError | None, message: Message) -> None:
            if error is not None and error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
                self._loop.call_soon_threadsafe(_fail, answer, _too_large(name, len(record)))
                return
            offset = None if error is not None else message.offset()
            self._loop.call_soon_threadsafe(_tell, answer, offset)

        try:
            self._producer.produce(name, record, on_delivery=heard, **where)
        except KafkaException as error:
            if error.args[0].code() == KafkaError.MSG_SIZE_TOO_LARGE:
                raise _too_large(name, len(record)) from None
            return None
        except BufferError:
            return None
        return await answer

    def publish(self, topic: str, key: str, value: bytes | None) -> None:
        """Says something under a key, if it can be said just now; None takes back what was said."""
        with contextlib.suppress(BufferError, KafkaException):
            self._producer.produce(topic_name(self._fleet, topic), value, key.encode(), partition=0)

    def _hear(self) -> None:
        while not self._is_closing.is_set():
            self._producer.poll(POLL)
        self._producer.flush(TIMEOUT)

    async def read(self, topic: str, partition: int, start: int, end: int) -> Sequence[tuple[int, bytes]]:
        """Returns records from `start` on, some of those before `end`. MachineError if they are gone."""
        async with self._reading:
            return await asyncio.to_thread(self._read, topic_name(self._fleet, topic), partition, start, end)

    def _read(self, topic: str, partition: int, start: int, end: int) -> list[tuple[int, bytes]]:
        if self._at != (topic, partition, start):
            self._replayer.assign([TopicPartition(topic, partition, start)])
        found: list[tuple[int, bytes]] = []
        since = time.monotonic()
        while not found and not self._is_closing.is_set():
            if time.monotonic() > since + SILENT:  # what is asked for was written: it is there
                since = time.monotonic()
                self._replayer.close()
                self._replayer = Consumer(self._reading_settings("replay"))
                self._replayer.assign([TopicPartition(topic, partition, start)])
            for message in self._replayer.consume(AT_ONCE, POLL):
                offset = self._checked(message, topic, partition, start)
                if offset is not None and start <= offset < end:
                    found.append((offset, message.value() or b""))
        if found and found[0][0] != start:
            raise _gone(topic, partition, start)
        self._at = (topic, partition, found[-1][0] + 1) if found and found[-1][0] + 1 < end else None
        return found

    def _checked(self, message: Message, topic: str, partition: int, start: int) -> int | None:
        error = message.error()
        if error is None:
            return message.offset()
        if error.code() in _GONE:
            raise _gone(topic, partition, start)
        return None  # it is tried again by itself

    async def begins(self, topic: str, partition: int) -> int:
        """Returns the offset of the first record that is still there. MachineError if Kafka does not answer."""
        place = TopicPartition(topic_name(self._fleet, topic), partition)
        async with self._reading:
            try:
                begins, _ = await asyncio.to_thread(self._replayer.get_watermark_offsets, place, timeout=TIMEOUT)
            except KafkaException as error:
                raise MachineError(f"Kafka does not answer ({error.args[0].str()})", place.topic, REMEDY) from None
        return int(begins)

    async def trim(self, topic: str, partition: int, before: int) -> None:
        """Lets go of the records before an offset; if that can't be done now, the next time will."""
        place = TopicPartition(topic_name(self._fleet, topic), partition, before)
        with contextlib.suppress(KafkaException):
            await asyncio.to_thread(self._trim, place)

    def _trim(self, place: TopicPartition) -> None:
        admin = AdminClient(self._client)
        for trimmed in admin.delete_records([place]).values():
            trimmed.result(TIMEOUT)

    # Links

    def follow(self, partition: int, start: int, take: Callable[[int, bytes], None]) -> None:
        """Hands the links of a shard to `take`, from `start` on and as they come."""
        self._followed[partition] = _Followed(start, take)
        self._orders.put((partition, start))

    def unfollow(self, partition: int) -> None:
        """Ends `follow`."""
        if self._followed.pop(partition, None) is not None:
            self._orders.put((partition, None))

    def _deliver(self, messages: Sequence[tuple[int, int, bytes]], done: threading.Event) -> None:
        try:
            for partition, offset, value in messages:
                followed = self._followed.get(partition)
                if followed is not None and offset == followed.next:
                    followed.next += 1
                    followed.take(offset, value)
        finally:
            done.set()

    # The group

    def wanted(self) -> frozenset[int]:
        """Returns the shards that the group wants us to own."""
        return frozenset() if self._member is None else self._member.wanted

    def given_up(self, shards: Collection[int]) -> None:
        """Tells the group that we own nothing but `shards` any more."""
        self._held = frozenset(shards)

    def leave(self) -> None:
        """Leaves the group, so that others may have our shards at once. Records can be appended as before."""
        self._is_leaving.set()

    def _mind(self) -> None:
        reader = _Reader(self._links, self._reading_settings("links"))
        settings = self._client | {
            "group.id": self._fleet,
            "session.timeout.ms": int(1000 * SESSION),
            "heartbeat.interval.ms": int(1000 * HEARTBEAT),
        }
        member = Membership(settings, self._links, self._name, lambda shards: self._wait_given_up(shards, reader))
        self._member = member
        while not self._is_leaving.is_set():
            self._lost = self._lost or member.mind()
            self._read_links(reader)
        member.leave()
        reader.close()

    def _wait_given_up(self, numbers: frozenset[int], reader: _Reader) -> None:
        for _ in range(int(PATIENCE / POLL)):
            if not self._held & numbers or self._is_leaving.is_set():
                return
            self._read_links(reader)

    def _read_links(self, reader: _Reader) -> None:
        self._obey(reader)
        if not reader.next:
            self._is_leaving.wait(POLL)
            return
        messages = reader.consume()
        for message in messages:
            self._note_lost(message)
        found = [
            (message.partition() or 0, message.offset() or 0, message.value() or b"")
            for message in messages
            if message.error() is None
        ]
        if found and not self._is_leaving.is_set():
            done = threading.Event()
            self._loop.call_soon_threadsafe(self._deliver, found, done)
            done.wait(PATIENCE)  # no more are read than can be taken

    def _note_lost(self, message: Message) -> None:
        """Notes links that were let go of before we had them: we must not go on as if there were none."""
        error = message.error()
        if error is not None and error.code() in _GONE:
            self._lost = _gone(self._links, message.partition() or 0, message.offset() or 0)

    def _obey(self, reader: _Reader) -> None:
        while True:
            try:
                partition, start = self._orders.get_nowait()
            except Empty:
                return
            reader.end(partition)
            if start is not None:
                reader.begin(partition, start)


class _Reader:
    """Reads partitions of a topic as they grow. `next` is the place in each that is to be read next."""

    def __init__(self, topic: str, settings: dict[str, Any]) -> None:
        self._topic = topic
        self._settings = settings
        self._consumer = Consumer(settings)
        self._looked = time.monotonic()
        self._behind: tuple[int, int] | None = None  # a partition, and the place at which it was when it had more
        self.next: dict[int, int] = {}
        self.anew = 0  # how often the consumer was

    def begin(self, partition: int, start: int) -> None:
        self._consumer.incremental_assign([TopicPartition(self._topic, partition, start)])
        self.next[partition] = start

    def end(self, partition: int) -> None:
        if self.next.pop(partition, None) is not None:
            self._consumer.incremental_unassign([TopicPartition(self._topic, partition)])

    def consume(self) -> list[Message]:
        """Returns what has come, after a moment."""
        messages: list[Message] = self._consumer.consume(AT_ONCE, POLL)
        for message in messages:
            if message.error() is None:
                self.next[message.partition() or 0] = 1 + (message.offset() or 0)
        if time.monotonic() > self._looked + SILENT:
            self._look()
            self._looked = time.monotonic()
        return messages

    def _look(self) -> None:
        """Looks at one partition after another whether there is more that does not come, and if so begins anew."""
        if self._behind is not None and self.next.get(self._behind[0]) == self._behind[1]:
            self._consumer.close()
            self._consumer = Consumer(self._settings)
            self._consumer.incremental_assign([TopicPartition(self._topic, *place) for place in self.next.items()])
            self.anew += 1
        try:
            self._behind = next((one for one in self.next.items() if self._has_more(*one)), None)
        except KafkaException:
            self._behind = None  # nobody can say just now

    def _has_more(self, partition: int, place: int) -> bool:
        _, high = self._consumer.get_watermark_offsets(TopicPartition(self._topic, partition), timeout=POLL)
        return int(high) > place

    def close(self) -> None:
        self._consumer.close()


_GONE = (KafkaError.OFFSET_OUT_OF_RANGE, KafkaError._AUTO_OFFSET_RESET)
"""What Kafka says of records that are no longer there."""


def _tell(answer: asyncio.Future[int | None], offset: int | None) -> None:
    if not answer.done():
        answer.set_result(offset)


def _fail(answer: asyncio.Future[int | None], error: MachineError) -> None:
    if not answer.done():
        answer.set_exception(error)


def _too_large(topic: str, size: int) -> MachineError:
    """A record that will never be taken: to send it again and again would lose nothing, and get nowhere."""
    remedy = f"Set its max.message.bytes, and the brokers' limits, to {MAX_BYTES}; then start the same command again."
    return MachineError(f"Kafka refuses a record of {size} bytes as too large", topic, remedy)


def _gone(topic: str, partition: int, start: int) -> MachineError:
    remedy = "Restore the node's folder from a checkpoint, or start the crawl anew under another name."
    return MachineError("the log no longer has what a store needs", f"{topic}-{partition} from {start} on", remedy)
