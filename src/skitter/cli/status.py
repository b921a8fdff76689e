"""`skitter status`: how a crawl stands, running or not."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say
from skitter.cli.sentences import errors
from skitter.cli.summary import ENDINGS, go_on
from skitter.inspection.folder import Folder
from skitter.inspection.standing import WAITS
from skitter.inspection.status import Status
from skitter.inspection.status import status as look
from skitter.inspection.waiting import Held
from skitter.messages import State
from skitter.plugins.calls import Fault
from skitter.schedule.freshness import quantile
from skitter.sinks.kept import SinkState
from skitter.supervisor.lastrun import LastRun
from skitter.words.figures import counted, number, rate, size, span, when
from skitter.words.kinds import STATES


def status(directory: DirectoryArgument, json: JsonOption = False) -> None:
    """Show how a crawl stands: URLs by state, hosts, totals, the last run."""
    now = time.time()
    with Folder(directory) as folder:
        found = look(folder, now)
    say(msgspec.json.encode(found) if json else in_words(found, now))


def in_words(found: Status, now: float) -> str:
    """Returns the status for people."""
    lines = [_running(found, now), ""]
    lines += [f"{number(found.urls[state]):>12}  {state.value:<10} {STATES[state]}" for state in State]
    lines += [f"{number(found.discovered):>12}  URLs found, from {counted(found.seeds, 'seed')}", ""]
    if found.mode:
        lines.append(f"Mode:     {found.mode_because}. To undo yours: `skitter mode {found.directory} 0`.")
    lines += [_hosts(found), _totals(found, now)]
    if found.bucket is not None:
        wait = found.bucket.waiting
        lines.append(f"Bucket:   {found.bucket.address}; {counted(wait.files, 'WARC file')} ({size(wait.bytes)}) here.")
    lines += [_sink(state, now) for state in found.sinks]
    if found.last_run is not None:
        lines.append(_last_run(found.last_run, now, is_running=found.running is not None))
    lines += [_held(one) for one in found.held]
    lines += _fresh(found)
    if found.to_render and found.renders_since is not None:
        since = when(found.renders_since, now)
        lines.append(f"Browsers: {counted(found.to_render, 'page')} wait for one, the next of them since {since}.")
    if found.purged:
        lines.append(
            f"Purged:   {counted(found.purged, 'queued URL')}, since the disk ran full (`dead retry --purged`)."
        )
    if found.instructions:
        due = "within a second or two" if found.running is not None else "when the crawl is started"
        lines.append(f"Inbox:    {counted(found.instructions, 'instruction', 'instructions')} to be carried out {due}.")
    if found.running is None and found.urls["queued"] + found.urls["failed"] + found.urls["scheduled"]:
        lines.append(f"To go on: {go_on(Path(found.directory), is_service=found.urls['scheduled'] > 0)}")
    return "\n".join(lines)


def _running(found: Status, now: float) -> str:
    begun = f"begun {when(found.created, now)}"
    if found.running is None:
        return f"{found.directory}: not running; {begun}."
    return f"{found.directory}: running (process {found.running or '?'}); {begun}."


def _hosts(found: Status) -> str:
    hosts = found.hosts
    apart = [f"{number(many)} {name}" for name, many in (("asleep", hosts.asleep), ("paused", hosts.paused)) if many]
    return f"Hosts:    {number(hosts.known)} known, {', '.join([f'{number(hosts.visited)} visited', *apart])}."


def _fresh(found: Status) -> list[str]:
    """Returns how fresh the copies are, if pages are seen again."""
    if found.freshness is None:
        return []
    ages = found.freshness.ages
    fresh = found.freshness
    line = f"Fresh:    {fresh.whole.ratio:.1%} ± {fresh.error:.1%} of the copies, as expected"
    if (seen := found.measured) is not None:
        line += f"; {seen.ratio:.1%} ± {seen.error:.1%} as measured by {counted(seen.visits, 'visit')} by lot"
    lines = [f"{line}. Half were seen within {span(quantile(ages, 0.5))}, 90 % within {span(quantile(ages, 0.9))}."]
    for name, slo in sorted(found.slos.items()):
        kept = f"{slo.timely:.1%} lack no change older than {span(slo.allowed)} (wanted: {slo.wanted:.0%})"
        lines.append(
            f"          {name}: {slo.fresh:.1%} fresh; {kept}, {slo.budget_left:.0%} of the error budget left."
        )
    return lines


def _sink(state: SinkState, now: float) -> str:
    """Returns how a sink stands."""
    if not state.lag_bytes:
        how = "has all"
    else:
        behind = f"about {counted(state.lag_captures, 'capture')} ({size(state.lag_bytes)} of the archive)"
        how = f"lacks {behind}" + (f" since {span(state.lag_seconds)}" if state.lag_seconds else "")
    told = f"Sink:     {state.sink}" + (f" {how}, by its word {when(state.at, now)}." if state.at else ".")
    again = f" Next try: {when(state.again_at, now)}." if state.again_at > now else ""
    return f"{told} {state.trouble}{again}".rstrip()


def _held(held: Held) -> str:
    who = f"{'at least ' if held.at_least else ''}{counted(held.urls, 'URL')} of {counted(held.hosts, 'host')}"
    return f"Waiting:  {who} {WAITS[held.standing]}: {', '.join(held.domains)}."


def _totals(found: Status, now: float) -> str:
    kept = found.archive if found.bucket is None else found.bucket.sent
    archive = f"{counted(kept.files, 'WARC file')} with {size(kept.bytes)}"
    archive += "" if found.bucket is None else " sent"
    told = f"So far:   {counted(found.requests, 'request')}, {counted(found.failures, 'failure')}; {archive}."
    if found.last_request is None:
        return f"{told} Nothing was asked for yet."
    return f"{told} Last request: {when(found.last_request, now)}."


def _last_run(run: LastRun, now: float, *, is_running: bool) -> str:
    counts = run.counted
    did = f"{counted(counts.pages, 'page')} and {size(counts.received)} in {span(run.at - run.began)}"
    if is_running and run.ended is None:
        head = f"This run: {did}; {rate(run.page_rate)} pages and {size(run.byte_rate)} a second of late; "
        head += f"{counted(run.in_flight, 'request')} under way."
    elif run.ended is None:
        head = f"Last run: {did}; it was cut off {when(run.at, now)}."
    else:
        head = f"Last run: {did}; ended {when(run.at, now)}. {ENDINGS[run.ended][0]}"
    failures = f"\nErrors:   {errors(counts.failures, limit=10)}." if counts.failures else ""
    troubles = "".join(f"\nTrouble:  {trouble}" for trouble in run.troubles if is_running)
    return head + _shares(run) + failures + _plugins(run) + troubles + _taken(run, now)


def _plugins(run: LastRun) -> str:
    """Returns what plug-ins did in the run, a line for each."""
    lines = []
    for name, seconds in run.counted.plugin_seconds.items():
        ends = {how: run.counted.plugin_calls.get(f"{name} {how}", 0) for how in ("ok", *Fault)}
        faults = ", ".join(f"{number(many)} {how}" for how, many in ends.items() if many and how != "ok")
        told = f"{counted(sum(ends.values()) - ends[Fault.OFF], 'call')} in {span(seconds)}"
        lines.append(f"\nPlug-in:  {name}: {told}{f'; {faults}' if faults else ''}.")
    return "".join(lines)


def _shares(run: LastRun) -> str:
    """Returns how the run shared its visits between what is new and what was seen before, if it did both."""
    new, again = (run.counted.purposes.get(name, 0) for name in ("discovery", "refresh"))
    if not again:
        return ""
    brought = (run.counted.gained.get(name, 0.0) for name in ("discovery", "refresh"))
    each = " and ".join(f"{gained / max(1, visits):.2g}" for gained, visits in zip(brought, (new, again), strict=True))
    visits = f"{number(new)} visits for what is new, {number(again)} to pages seen before"
    return f"\nShares:   {visits}; one brought {each} in the mean (pages new or changed, by importance)."


def _taken(run: LastRun, now: float) -> str:
    """Returns what became of settings that were read again while the crawl ran."""
    if run.taken is None:
        return ""
    return f"\nSettings: read again {when(run.taken.at, now)}: {'; '.join(run.taken.sentences)}."
