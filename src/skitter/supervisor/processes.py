"""What the supervisor asks of the world: nodes that can be started, told, heard and killed.

`real.py` keeps these promises with processes of the operating system, the simulator with nodes in its own loop.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from skitter.node.status import Command, NodeStart, NodeStatus


class NodeProcess(Protocol):
    """One life of a node. When it ends, however it does, `next_report` says so."""

    @property
    def returncode(self) -> int | None:
        """How it ended: its exit code, or minus the signal that killed it. None: it is alive."""
        ...

    def tell(self, command: Command) -> None:
        """Sends a command, if there is anyone to take it. Whether it arrives is not known; it does not wait."""
        ...

    async def next_report(self) -> NodeStatus | None:
        """Returns the next report, in the order sent; None: it is dead, and all it has said was returned before."""
        ...

    def kill(self) -> None:
        """Ends it at once, even if it hangs or stands still; nothing if it is dead. `next_report` then says so."""
        ...

    def last_words(self) -> str:
        """Returns the last line of what it said for people, empty if it said nothing."""
        ...


class Processes(Protocol):
    """Starts the nodes of one crawl, and knows of those that an earlier supervisor left behind."""

    def has_old_nodes(self) -> bool:
        """Whether nodes of an earlier run are still at work: they write where ours would. Not asked while `held`."""
        ...

    def held(self) -> AbstractContextManager[None]:
        """While it is open, nodes may be started. The next run's `has_old_nodes` sees those that outlive us."""
        ...

    async def start(self, start: NodeStart) -> NodeProcess:
        """Returns a node that was started; it reports when it has opened its parts. Only while `held`."""
        ...
