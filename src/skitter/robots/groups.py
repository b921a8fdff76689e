"""Which lines of a robots.txt are for us.

A group is a run of user-agent lines and the rules after it. Only rules end the run: other lines, known or not, and
empty ones separate nothing (RFC 9309 2.1, 2.2.4). Ours are the rules of all groups that name exactly our product
token, else those of all `*` groups, else none (2.2.1). Rules before the first user-agent line are nobody's.

`Crawl-delay` is not in the RFC. It holds for the user-agent lines since the last rule or `Crawl-delay`, as sites that
give each robot its own delay mean it.
"""

from __future__ import annotations

import math
import re

from skitter.robots.lines import Field, Line

ANYONE = "*"

_PRODUCT = re.compile(r"[\w-]+")
_SECONDS = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(?:s|secs?|seconds?)?", re.IGNORECASE)


def product_token(agent: str) -> str:
    """Returns the name at the start of a User-Agent or of a user-agent line, in lower case; "" if it has none.

    The RFC knows letters, `-` and `_`. Sites also write digits and other alphabets, and mean those robots only.
    """
    agent = agent.strip()
    if agent[:2].rstrip() == ANYONE:
        return ANYONE
    name = _PRODUCT.match(agent)
    return name[0].lower() if name else ""


class Ours:
    """What the groups of one name hold together."""

    def __init__(self) -> None:
        self.named = False
        self.rules: list[Line] = []
        self.delays: list[float] = []


class Groups:
    """Reads lines one by one and keeps what is for us and what is for anyone."""

    def __init__(self, token: str) -> None:
        self._names = {ANYONE: Ours(), token: Ours()}
        self._token = token
        self._ruled: list[Ours] = []  # whom a rule is for
        self._slowed: list[Ours] = []  # whom a Crawl-delay is for
        self._had_rule = self._had_delay = False

    def ours(self) -> Ours:
        own = self._names[self._token]
        return own if own.named else self._names[ANYONE]

    def take(self, line: Line) -> None:
        if line.field is Field.AGENT:
            self._take_agent(line.value)
        elif line.field is Field.DELAY:
            self._take_delay(line.value)
        else:
            self._take_rule(line)

    def _take_agent(self, value: str) -> None:
        if self._had_rule:
            self._ruled = []
        if self._had_rule or self._had_delay:
            self._slowed = []
        self._had_rule = self._had_delay = False
        name = product_token(value)
        ours = self._names.get(name) if name else None
        if ours is not None:
            ours.named = True
            self._ruled += [ours] * (ours not in self._ruled)
            self._slowed += [ours] * (ours not in self._slowed)

    def _take_rule(self, line: Line) -> None:
        self._had_rule = True
        if line.value:
            for ours in self._ruled:
                ours.rules.append(line)

    def _take_delay(self, value: str) -> None:
        self._had_delay = True
        number = _SECONDS.fullmatch(value)
        seconds = float(number[1]) if number else math.inf
        if seconds < math.inf:
            for ours in self._slowed:
                ours.delays.append(seconds)
