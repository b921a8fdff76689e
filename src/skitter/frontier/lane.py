"""The first few URLs of one of the two queues of a host: what is new, or what is to be seen again."""

from __future__ import annotations

from bisect import insort

from skitter.shard import keys


class Lane:
    """`urls` holds the head of the queue on disk, as entries of `keys.queue_entry`.

    Everything on disk up to the place `horizon` is in `urls` or out on lease; `more` says that there is something
    beyond, or that nobody has looked.
    """

    __slots__ = ("horizon", "more", "urls")

    def __init__(self) -> None:
        self.urls: list[bytes] = []
        self.horizon = b""
        self.more = True

    @property
    def may_have_any(self) -> bool:
        """Whether there is something in the queue, as far as is known."""
        return self.more or bool(self.urls)

    def offer(self, entry: bytes, limit: int) -> None:
        """Takes note of a URL that was added to the queue."""
        if keys.entry_place(entry) > self.horizon:
            self.more = True
            return
        insort(self.urls, entry)
        if len(self.urls) > limit:
            self.urls.pop()
            self.horizon = keys.entry_place(self.urls[-1])
            self.more = True

    def give_back(self, entry: bytes) -> None:
        """Puts what was taken back at its place; what was taken out of turn is read again in its turn."""
        if keys.entry_place(entry) <= self.horizon:
            insort(self.urls, entry)
        else:
            self.more = True
