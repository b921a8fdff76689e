"""What name servers say. Pure."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, Protocol


class Said(Enum):
    """What the answer to a question amounts to."""

    FOUND = "found"
    EMPTY = "empty"  # the name exists, but not with this type
    UNKNOWN = "unknown"  # the name does not exist
    FAILED = "failed"  # the server can't say, of this name
    NOTHING = "nothing"  # the server said nothing that counts: it is down, or does not want us


class Reply(NamedTuple):
    """The answer to one question; `ttl` is the shortest on the way to the addresses."""

    said: Said
    addresses: tuple[str, ...] = ()
    ttl: float = 0.0
    detail: str = ""


NO_ANSWER = Reply(Said.NOTHING, detail="no answer in time")


class Server(Protocol):
    """A name server, whatever it is spoken to by."""

    @property
    def address(self) -> str:
        """How the operator names it."""
        ...

    def open(self) -> object:
        """Makes it ready to be asked. MachineError if the machine refuses that."""
        ...

    async def ask(self, name: str, kind: str, timeout: float) -> Reply:
        """Returns what it says about the records of `kind` (A or AAAA) of `name`, within `timeout`."""
        ...

    async def close(self) -> None:
        """Gives up the questions that are under way."""
        ...
