"""What a node keeps for pages in browsers: the browsers, scripts, robots.txt of hosts that only they ask."""

from __future__ import annotations

from collections import OrderedDict

from skitter.node.rendering.scripts import Scripts
from skitter.ports import Renderer
from skitter.robots.answer import Policy

MOST_POLICIES = 1000


class Browsing:
    """What all pages in browsers of a node have in common."""

    def __init__(self, renderer: Renderer, script_cache: int) -> None:
        self.renderer = renderer
        self.scripts = Scripts(script_cache)
        self._policies: OrderedDict[str, Policy] = OrderedDict()
        self._has_said_so = False
        self._notes: list[str] = []

    def policy(self, origin: str) -> Policy | None:
        """Returns what a browser's page found the robots.txt of an origin to say, good or not."""
        return self._policies.get(origin)

    def keep_policy(self, origin: str, policy: Policy) -> None:
        """Keeps that. The frontier does not have it: a host that is known for its scripts alone is none to crawl."""
        self._policies.pop(origin, None)
        self._policies[origin] = policy
        if len(self._policies) > MOST_POLICIES:
            self._policies.popitem(last=False)

    def is_able(self) -> bool:
        """Whether there is a browser. That there is none is said once, when a page would need it."""
        return not self.renderer.trouble

    def miss(self) -> None:
        """Takes note that a page needed a browser, and there was none."""
        if not self._has_said_so:
            self._has_said_so = True
            self._notes.append(
                f"Some pages are empty without a browser, and are kept as they are: {self.renderer.trouble} "
                "Or say --render never."
            )

    def take_notes(self) -> list[str]:
        """Returns what is to be told the operator, once."""
        notes, self._notes = self._notes, []
        return notes
