"""Links for shards of other nodes, in a fleet: they go to the bus with the next commit, and nothing has to be kept.

The bus itself keeps them until they are taken; the pages that had them are settled after that. See `shard.outbox`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from skitter.messages import Discovered
from skitter.shard.log.journal import Journal
from skitter.shard.outbox import Outbox
from skitter.shard.shards import Shards
from skitter.shard.writer import Shard


class Posting(Outbox):
    """What is to be posted with the next commit."""

    def __init__(self, shards: Shards, on_kept: Callable[[bytes, int], None], journal: Journal) -> None:
        super().__init__(shards, on_kept)
        self._to_post: dict[int, list[Discovered]] = {}
        journal.posted = self._take
        journal.on_kept = self._kept

    def post(self, _: Shard, links: Iterable[Discovered], /) -> None:
        """Has links posted before the pages that had them are settled."""
        shard_of = self._shards.routes.destination_of
        for link in links:
            self._to_post.setdefault(shard_of(link.host), []).append(link)

    def is_empty(self) -> bool:
        """Whether nothing is left to post."""
        return not self._to_post

    def _kept(self, link: Discovered, shard: int) -> None:
        # If the shard has become ours meanwhile, the link is yet to come to us: it must not be taken for known then.
        # The same if its host has gone elsewhere: that may be to us.
        if not self._shards.is_owned(shard) and self._shards.routes.destination_of(link.host) == shard:
            self._on_kept(link.fingerprint, shard)

    def _take(self) -> dict[int, list[Discovered]]:
        to_post, self._to_post = self._to_post, {}
        return to_post
