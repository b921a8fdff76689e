"""Hosts that are played from a script: what each path answers, be it different with every request or with time.

`World(settings, plays={"odd.sim.test": by_path({"/robots.txt": in_turn(text("…"), status(503))})})`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from skitter.simweb.answer import Answer, Ask, Ending

Play: TypeAlias = Callable[[Ask], Answer]
"""From a request to its answer. `Ask.asks` says how often that path was asked for before, `Ask.now` when it is."""


def text(body: str | bytes, media: str = "text/plain", *headers: tuple[str, str]) -> Answer:
    """Returns a 200 with this body."""
    content = body.encode() if isinstance(body, str) else body
    return Answer(200, (("Content-Type", media), *headers), content)


def page(*links: str) -> Answer:
    """Returns an HTML page of links."""
    anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
    return text(f"<!DOCTYPE html><title>played</title>{anchors}", "text/html; charset=utf-8")


def status(number: int, *headers: tuple[str, str]) -> Answer:
    """Returns an answer of this status, with nothing else to say."""
    return Answer(number, (("Content-Type", "text/plain"), *headers), b"%d\n" % number)


def moved(location: str, number: int = 301) -> Answer:
    """Returns a redirect."""
    return status(number, ("Location", location))


RESET = Answer(0, ending=Ending.RESET)
NEVER = Answer(200, delay=86400.0)
"""The request is taken, and nothing comes back."""


def by_path(paths: Mapping[str, Answer | Play], otherwise: Answer | Play | None = None) -> Play:
    """Returns a host that has these paths; any other is answered with `otherwise`, or with 404."""
    missing: Answer | Play = otherwise if otherwise is not None else status(404)

    def play(ask: Ask) -> Answer:
        return _told(paths.get(ask.path, missing), ask)

    return play


def in_turn(*answers: Answer | Play) -> Play:
    """Returns a URL that answers the first request with the first answer, and so on; the last one is for the rest."""

    def play(ask: Ask) -> Answer:
        return _told(answers[min(ask.asks, len(answers) - 1)], ask)

    return play


def over_time(phase: Callable[[float], int], *answers: Answer | Play) -> Play:
    """Returns a URL whose answer is the one that `phase` names for the time of the request; the last is the last."""

    def play(ask: Ask) -> Answer:
        return _told(answers[min(phase(ask.now), len(answers) - 1)], ask)

    return play


def _told(answer: Answer | Play, ask: Ask) -> Answer:
    return answer if isinstance(answer, Answer) else answer(ask)
