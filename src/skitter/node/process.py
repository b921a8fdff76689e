"""A node as a process of its own: an order in, commands in, status out. Started by the supervisor."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys

import msgspec
import uvloop

from skitter.errors import SkitterError, first_of
from skitter.node.build import built
from skitter.node.node import Node
from skitter.node.status import Command, NodeStart, NodeStatus

LONGEST_ORDER = 2**30
"""Bytes of a line that we are told: an order holds all seeds."""


def main() -> None:
    """Runs until told to stop, or until the supervisor is gone."""
    # Ctrl-C goes to everyone at the terminal; it is the supervisor who tells us what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        uvloop.run(_run())
    except* SkitterError as group:
        error = first_of(group)
        sys.stderr.write(f"skitter: {error}\n")
        sys.exit(error.exit_code)


async def _run() -> None:
    # One reader for all that we are told: a command may be there before we have read our order, at a stop in the first
    # second for one, and would be lost in the buffer of another reader.
    told = await _told()
    order = msgspec.json.decode(await told.readline(), type=NodeStart)
    if order.settings.plugins.use:
        sys.stdout = sys.stderr  # what a plug-in prints must not be taken for our reports
    _tune_collector()
    async with built(order, _report) as (node, notes):
        listening = asyncio.create_task(_listen(node, told))
        await node.run(notes)
        listening.cancel()
        last = node.status()
    _report(msgspec.structs.replace(last, stopped=True))


def _tune_collector() -> None:
    """Makes the collector of cycles look at what a page leaves, not at what was imported, and less often.

    A page makes thousands of objects that hold no cycles; looking for some after each 700 costs a tenth of our time.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    gc.enable()  # `__main__` turned it off


async def _told() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LONGEST_ORDER)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


async def _listen(node: Node, told: asyncio.StreamReader) -> None:
    while line := await told.readline():
        node.obey(msgspec.json.decode(line, type=Command))
    node.obey(Command(stop=True))  # the supervisor is gone: stop in order, nobody will tell us to


def _report(status: NodeStatus) -> None:
    try:
        assert sys.__stdout__ is not None
        out = sys.__stdout__.buffer
        out.write(msgspec.json.encode(status) + b"\n")
        out.flush()
    except BrokenPipeError:
        return  # nobody listens; `_listen` finds out too
