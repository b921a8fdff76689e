"""What is noted of a page that needs a browser, or was in one. Pure: records in, records out.

A page is settled as it was read, whatever it needs. One in need is put on the list of its shard, best pages first; it
leaves that list when it is queued for its rendering. A browser that fails costs it one try of so many; the page itself
stays as it was read. What was worth it is rendered again at the next visit.
"""

from __future__ import annotations

from msgspec import structs

from skitter.judge.need import after_rendering, is_worth_it
from skitter.messages import Kind, Outcome, Rendering
from skitter.politeness.backoff import RETRY, next_try
from skitter.settings import PolitenessSettings
from skitter.shard import keys
from skitter.shard.records import HostRecord, RenderNote, UrlRecord


def note_after(
    outcome: Outcome, url: UrlRecord, politeness: PolitenessSettings
) -> tuple[RenderNote | None, float | None]:
    """Returns what is noted after a page was settled, and when its rendering is tried again, if it failed."""
    before = url.render
    if outcome.status == 304:
        return before, None
    if outcome.rendering is not None:
        return _rendered(outcome, outcome.rendering, before, politeness)
    if not outcome.need or (before is not None and before.tries >= (RETRY[Kind.BROWSER_FAILED].tries or 1)):
        return (structs.replace(before, waiting=b"", is_next=False), None) if before is not None else (None, None)
    key = keys.render_key(url.priority, outcome.at, outcome.lease.fingerprint)
    if before is None:
        return RenderNote(outcome.need, key, outcome.at), None
    return structs.replace(before, why=outcome.need, waiting=key, since=outcome.at, is_next=False), None


def _rendered(
    outcome: Outcome, rendering: Rendering, before: RenderNote | None, politeness: PolitenessSettings
) -> tuple[RenderNote, float | None]:
    note = before or RenderNote(rendering.why)
    if rendering.failure is not None:
        due = next_try(Kind.BROWSER_FAILED, note.tries, outcome.at, politeness).due
        why = rendering.failure.detail or rendering.failure.kind.value
        failed = structs.replace(note, waiting=b"", tries=note.tries + 1, failure=why, is_next=due is not None)
        return failed, due
    after = RenderNote(
        rendering.why,
        since=note.since,
        is_next=is_worth_it(rendering.words, rendering.links),
        at=outcome.began,
        words=rendering.words,
        links=rendering.links,
        seconds=rendering.seconds,
        cost=rendering.cost,
        asked=rendering.asked,
        refused=rendering.refused,
        is_settled=rendering.is_settled,
    )
    return after, None


def host_after(host: HostRecord, outcome: Outcome) -> HostRecord:
    """Returns the host after a page of it was rendered. A failure teaches nothing."""
    rendering = outcome.rendering
    if rendering is None or rendering.failure is not None:
        return host
    was_worth_it = is_worth_it(rendering.words, rendering.links)
    learnt = after_rendering(host.rendered, outcome.lease.href, was_worth_it=was_worth_it)
    return structs.replace(host, rendered=learnt)
