"""Who may make how many requests, when their rate is limited for the whole crawl. Pure: reports in, allowances out.

One bucket of tokens for the crawl, that drips at the rate. What has dripped is divided among the nodes that have work
at hand, each into an account of its own, so that who reports more often gets no more. With each report a node is told
how many requests it may have made in all its life: what it did not use comes back to its account, to be told again, and
what it used beyond (the redirects of a robots.txt) is a debt. So nobody hoards: in the long run there are as many
requests as the rate says, and in any window at most so many, and two and a second's worth more for each node.
"""

from __future__ import annotations

SAVED = 1.0
"""Seconds for which tokens are saved up if nobody uses them: twice as long as it is between two reports."""


class Shares:
    """Divides a rate among `nodes`. A rate of 0: there is no limit, and nothing to divide."""

    def __init__(self, rate: float, nodes: int, now: float) -> None:
        self._rate = rate
        self._at = now
        self._accounts = [0.0] * nodes
        self._allowed: list[int | None] = [None] * nodes  # what each was told
        self._hungry = [True] * nodes

    def heard(self, node: int, now: float, *, made: int, is_hungry: bool) -> int:
        """Takes how many requests a node has made. Returns how many it may have made; 0 if there is no limit."""
        if not self._rate:
            return 0
        self._drip(now)
        self._hungry[node] = is_hungry
        before = self._allowed[node]
        self._put(node, 0 if before is None else before - made)
        if not is_hungry:
            self._hand_on(node)
        tokens = max(0, int(self._accounts[node]))
        self._accounts[node] -= tokens
        self._allowed[node] = made + tokens
        return made + tokens

    def died(self, node: int) -> None:
        """Leaves to others what a dead node had in its account; what it was told of and had not used is lost."""
        self._hungry[node] = False
        self._allowed[node] = None
        self._hand_on(node)

    def change(self, rate: float, now: float) -> None:
        """Goes on with another rate."""
        self._drip(now)
        if not self._rate:
            self._allowed = [None] * len(self._allowed)  # what was made without a limit is no debt
        self._rate = rate

    def _drip(self, now: float) -> None:
        earned = max(0.0, now - self._at) * self._rate
        self._at = max(self._at, now)
        self._share_out(earned)

    def _hand_on(self, node: int) -> None:
        left, self._accounts[node] = max(0.0, self._accounts[node]), min(0.0, self._accounts[node])
        self._share_out(left)

    def _share_out(self, tokens: float) -> None:
        hungry = [node for node, is_hungry in enumerate(self._hungry) if is_hungry]
        for node in hungry:
            self._put(node, tokens / len(hungry))

    def _put(self, node: int, tokens: float) -> None:
        brim = 1 + self._rate * SAVED / max(1, sum(self._hungry))
        self._accounts[node] = min(brim, self._accounts[node] + tokens)

    def __repr__(self) -> str:
        return f"<Shares of {self._rate} a second {self._accounts}>"
