"""Is a crawl well? One sentence, with the reason: what an operator wants to know first. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from skitter.console.views import Health, Live
from skitter.messages import Kind

SILENT = 10.0
"""Seconds without a word from the supervisor."""

MANY = 0.05
"""The share of requests that hosts may turn away before somebody should look."""

FAILING = 0.5
LITTLE = 20
"""Requests below which shares say nothing."""

TURNED_AWAY = (429, 503)


class Finding(NamedTuple):
    """Something that is not as it should be."""

    level: str
    sentence: str
    runbook: str  # the page of docs/runbooks/ that says what to do


def health(live: Live | None, now: float, *, is_running: bool, mode: str = "") -> Health:
    """Returns how a crawl is."""
    if live is None:
        return Health("watch", "It has not run yet." if not is_running else "It is being started.")
    if not is_running:
        told = "It was cut off" if live.ended is None else f"It is not running; the last run ended: {live.ended}"
        return Health("watch" if live.ended is None else "well", f"{told}.")
    found = [*_findings(live, now), *([Finding("watch", f"Mode {mode}.", "")] if mode else [])]
    if not found:
        return Health("well", f"It is well: {live.page_rate:.3g} pages a second, nothing is wrong.")
    worst = next((one for one in found if one.level == "ill"), found[0])
    return Health(worst.level, worst.sentence, [one.sentence for one in found], [one.runbook for one in found])


def _findings(live: Live, now: float) -> Iterator[Finding]:
    if now - live.at > SILENT:
        yield Finding("ill", f"The supervisor has said nothing for {now - live.at:.0f} s.", "node-down")
    if live.margin is not None and live.margin < -0.001:
        yield Finding(
            "ill", f"Two requests to a host came {-live.margin:.3f} s closer than its delay.", "politeness-violated"
        )
    for trouble in live.troubles:
        yield Finding("ill", f"Something stands still: {trouble}.", "stands-still")
    if live.ready < live.nodes:
        yield Finding("watch", f"{live.nodes - live.ready} of {live.nodes} nodes are being started.", "node-down")
    if live.requests < LITTLE:
        return
    turned = sum(live.statuses.get(status, 0) for status in TURNED_AWAY)
    if turned > MANY * live.requests:
        yield Finding(
            "watch", f"{turned / live.requests:.0%} of the requests were turned away (429, 503).", "turned-away"
        )
    unnamed = sum(live.failures.get(kind.value, 0) for kind in (Kind.DNS_FAILED, Kind.DNS_UNKNOWN))
    if unnamed > MANY * live.requests:
        yield Finding(
            "watch", f"{unnamed} names could not be looked up: is the name server there?", "name-servers-away"
        )
    failed = sum(live.failures.values())
    if failed > FAILING * live.requests:
        worst = max(live.failures, key=lambda kind: live.failures[kind])
        told = f"More than half of what is tried fails, most of it: {worst.replace('_', ' ')}."
        yield Finding("watch", told, "nobody-reached")
    if not live.in_flight and not live.page_rate and live.urls.get("queued"):
        told = "Nothing is under way, though URLs are queued: their hosts rest, sleep or are held back."
        yield Finding("watch", told, "too-slow")
