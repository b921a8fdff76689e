"""The story of one URL, told in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from skitter.inspection.hosts import HostLook
from skitter.inspection.refused import RefusedLink
from skitter.inspection.standing import Standing
from skitter.inspection.why import Found, RenderLook, RobotsLook, Story
from skitter.messages import Errand, Failure, Reason, State
from skitter.words.figures import counted, number, span, when
from skitter.words.kinds import NEEDS, REASONS, failure_in_words

BY = {
    "link": "by a link on {}",
    "redirect": "by a redirect from {}",
    "sitemap": "in the sitemap {}",
    "robots.txt": "in {}",
    "sounding": "by nobody: it was made up from {} to see whether such URLs end",
}
_BY_KIND = {"listed": "sitemap", "redirect": "redirect"}
BECAUSE = {
    "default": "as every host is unless something else is said (politeness.delay)",
    "robots.txt": "because its robots.txt asks for that",
    "agreed": "as was agreed with it (`skitter rate`)",
    "hours": "because of the hour, by politeness.hours",
    "load": "because its last answer took {took}: a slow host is a loaded host (politeness.load_factor)",
    "back-off": "because it told us to slow down or failed; good answers speed us up again",
}


def because(host: HostLook) -> str:
    """Returns why a host has the delay that it has."""
    return BECAUSE[host.delay_because].format(took=span(host.took))


def in_words(story: Story, now: float) -> str:
    """Returns the story for people."""
    blocks = ("\n".join([title, *(f"  {line}" for line in lines)]) for title, lines in told(story, now))
    return "\n\n".join(blocks)


def told(story: Story, now: float) -> list[tuple[str, list[str]]]:
    """Returns the parts of the story, each with its title and its sentences."""
    found = story.found
    parts: list[tuple[str, Iterable[str]]] = [("How it is written", _written(story))]
    if found is None:
        parts += [("Whether it is known", _unknown(story))]
    else:
        parts += [("Where it was found", _origin(found, now)), ("What became of it", _fate(story, found, now))]
    parts += [("What robots.txt says", _robots(story.robots, now)), ("What comes next", _next(story, now))]
    return [(title, list(lines)) for title, lines in parts]


def _written(story: Story) -> Iterable[str]:
    href = story.href if story.found is None else story.found.href
    if story.asked != href:
        yield f"You asked for {story.asked}"
    yield f"It is fetched as {href}"
    if story.key != href:
        yield f"It is compared as {story.key}"
    yield f"Its host is {story.host}, in shard {story.shard}."


def _unknown(story: Story) -> Iterable[str]:
    yield from _refused(story.refused)
    if not story.refused and not story.all_indexed:
        yield "Links that were not followed are told once their WARC file is sealed; one is still being written."
    if story.other is not None:
        yield f"With the other scheme it is known: {story.other}"
    if story.refusal is not None:
        yield f"If it were found it would be left out: {REASONS[story.refusal]}."
    else:
        yield "It is within the crawl's scope: if it were found it would be queued."
        yield f"To queue it: {_command('seeds', 'add', story.directory, story.href)}"


def _refused(links: Sequence[RefusedLink]) -> Iterable[str]:
    if not links:
        yield "It was never discovered: no page, sitemap or redirect that was read leads to it."
        return
    yield "It was found, but never queued:"
    for link in links:
        yield f"  {BY[_BY_KIND.get(link.kind, 'link')].format(link.page)}, not followed: {_in_words(link.reason)}."


def _in_words(reason: str) -> str:
    """Returns a reason of the archive, which a later version may have written, with its name."""
    if reason.startswith(f"{Reason.PLUGIN}:"):
        _, name, own = reason.split(":", 2)
        return f"the plug-in {name} refuses it ({own})"
    return f"{REASONS[Reason(reason)]} ({reason})" if reason in set(Reason) else reason


def _origin(found: Found, now: float) -> Iterable[str]:
    if not found.steps and found.errand is Errand.SITEMAP:
        yield f"No robots.txt names it: it was asked for as most sites have one there, {when(found.first_seen, now)}."
        return
    if not found.steps and found.reason is Reason.PURGED:
        yield f"It was found {when(found.first_seen, now)}, {counted(found.depth, 'link')} away from a seed."
        return
    if not found.steps:
        yield f"It is a seed, known since {when(found.first_seen, now)}."
        return
    first, *others = found.steps
    yield f"It was found {when(found.first_seen, now)}, {counted(found.depth, 'link')} away from a seed,"
    yield f"  {BY[first.by].format(first.href)},"
    for step in others:
        yield f"  which was found {BY[step.by].format(step.href)},"
    yield "  which is asked for first of all." if found.steps[-1].by == "robots.txt" else "  which is a seed."


def _rendered(look: RenderLook, now: float) -> Iterable[str]:
    """Yields what became of a page in browsers: why it was in one, what that added, what it cost."""
    why = NEEDS.get(look.why, look.why)
    if look.at is not None:
        added = f"{look.words:+} words and {look.links:+} links"
        ended = "" if look.is_settled else "; its time ran out before it came to rest"
        yield f"It was run in a browser {when(look.at, now)}, since {why}: {added}{ended}."
        cost = f"{look.seconds:.1f} s, {look.cost:.2f} s of CPU time"
        yield f"  That took {cost} and {counted(look.asked, 'request')}, {number(look.refused)} of them refused."
    if look.waits_since is not None:
        yield f"It waits for a browser since {when(look.waits_since, now)}: {why}."
    if look.tries:
        yield f"Browsers failed at it {counted(look.tries, 'time')}, last: {look.failure}."


def _fate(story: Story, found: Found, now: float) -> Iterable[str]:
    yield from _state(found, now)
    if (closed := story.closed) is not None:
        yield f"It is in {closed.corner}, which was closed {when(closed.closed_at, now)}: {closed.why}."
        yield f"One URL of it is looked at again {when(closed.review_at, now)}; if it is no trap, all are queued again."
    if (suspect := story.suspect) is not None:
        yield f"It comes after others of its host, being in {suspect.corner}: {suspect.why}."
    if found.state is State.DEAD and found.failure is not None:
        yield f"To try all such again: {_command('dead', 'retry', story.directory)}"
    if found.last_fetched is not None:
        yield f"Last fetched {when(found.last_fetched, now)}, answered with status {found.last_status}."
    yield from _verdict(found)
    if found.render is not None:
        yield from _rendered(found.render, now)
    if (form := story.form) is not None and form.page == found.href:
        yield f"It has several forms; most pages link to this one ({number(form.inlinks)}): it is the page."
    elif form is not None:
        links = f"{counted(form.page_inlinks, 'page')} against {number(form.inlinks)}"
        yield f"It is another form of {form.page}, which as many pages or more link to ({links})."
    if found.file is not None:
        yield f"Its capture is in {found.file} at offset {found.offset}."
    if found.digest is not None:
        yield f"Its body has the digest {found.digest}."


def _verdict(found: Found) -> Iterable[str]:
    """Yields what we think of the page: a sentence for each reason, with what speaks for it."""
    for reason in found.reasons:
        evidence = found.evidence.get(reason)
        yield f"What we think of it: {REASONS[reason]} ({reason}){f': {evidence}' if evidence else ''}."
    if found.duplicate_of is not None and Reason.NEAR_DUPLICATE not in found.reasons:
        yield f"It is a copy of {found.duplicate_of}"


def _state(found: Found, now: float) -> Iterable[str]:
    if found.failure is not None:
        yield _failure(found, found.failure)
    if found.failed_at is not None:
        yield f"It was last tried {when(found.failed_at, now)}, {_answer(found)}."
    match found.state:
        case State.QUEUED:
            is_new = found.last_fetched is None and found.failed_at is None
            yield "It is queued: it has not been fetched yet." if is_new else "It is queued again."
        case State.LEASED:
            yield "It is being fetched."
        case State.DONE:
            yield "It is done."
        case State.SCHEDULED:
            yield "It is done, and will be looked at again."
        case State.FAILED:
            yield "It will be tried again."
        case State.SKIPPED:
            yield f"It is skipped: {REASONS[found.reason] if found.reason is not None else 'nobody noted why'}."
            if found.reason is Reason.DUST and found.reason in found.evidence:
                yield f"Its host is a mirror; it stands for {found.evidence[found.reason]}"
        case State.DEAD if found.failure is None:
            yield "It was given up long ago; nothing more is kept of it: if a page links to it, it is fetched again."
        case State.DEAD:
            yield "It was given up."


def _failure(found: Found, failure: Failure) -> str:
    told = failure_in_words(failure)
    if not found.tries:  # `dead retry` counts from zero again
        return f"It was given up, and revived since; at its last try {told}."
    return f"It has failed {counted(found.tries, 'time')}; at the last one {told}."


def _answer(found: Found) -> str:
    answer = f"answered with status {found.failed_status}" if found.failed_status else "without an answer"
    return answer if found.failed_file is None else f"{answer} (in {found.failed_file} at offset {found.failed_offset})"


def _robots(robots: RobotsLook | None, now: float) -> Iterable[str]:
    if robots is None:
        yield "It was not asked for yet; until it is, nothing of this origin is fetched."
        return
    yield f"{robots.url} {'allows' if robots.allowed else 'forbids'} it: {_because(robots)}."
    asked = f"It was asked for {when(robots.fetched_at, now)}{_status(robots)}"
    yield f"{asked}; it is asked for again after {when(robots.good_until, now)}."


def _because(robots: RobotsLook) -> str:
    if robots.access == "deny_all":
        return "it can't be read, and what can't be read forbids everything"
    if robots.access == "allow_all":
        return "the server has none to give, so everything is allowed"
    old = "" if robots.access == "rules" else " (of the last version that could be read)"
    if robots.rule is None:
        return f"no line of it matches{old}"
    return f"line {robots.line} decides, `{robots.rule}`{old}" if robots.line else "it has too many patterns to try"


def _status(robots: RobotsLook) -> str:
    if robots.status:
        return f" and answered with status {robots.status}"
    return f", but {failure_in_words(robots.failure)}" if robots.failure is not None else " and did not answer"


def _next(story: Story, now: float) -> Iterable[str]:
    host, found = story.host_look, story.found
    if host is None:
        yield "Nothing is known of its host yet."
        return
    yield f"Its host is visited every {span(host.delay)}, {because(host)}."
    yield from _host(story, host, now)
    if found is not None and found.ahead is not None:
        yield _turn(host, found.ahead, now)
    elif found is not None:
        yield (
            f"This URL is due {when(found.due, now)}." if found.due is not None else "For this URL nothing is planned."
        )


def _host(story: Story, host: HostLook, now: float) -> Iterable[str]:
    match host.standing:
        case Standing.PAUSED:
            yield f"The host is paused. To take it up again: {_command('resume', story.directory, host.host)}"
        case Standing.NO_ROBOTS if host.next_at is not None:
            yield f"Nothing is fetched of it until its robots.txt can be read; next try {when(host.next_at, now)}."
        case Standing.OVER_BUDGET if host.next_at is not None:
            turn = when(host.next_at, now)
            yield f"Nobody vouches for its domain, which has had its share of today; it goes on {turn}."
            yield f"To vouch for it: {_command('review', 'allow', story.directory, host.host)}"
        case Standing.SINGLE:
            yield "A single host of its domain leads to it: it waits until others show that such names have an end."
            yield f"To have it visited now: {_command('seeds', 'add', story.directory, story.href)}"
        case Standing.UNVOUCHED:
            yield "Nobody vouches for its domain: few of its hosts are visited at a time, while others have work."
            yield f"To vouch for it: {_command('review', 'allow', story.directory, host.host)}"
        case Standing.BLOCKED:
            yield f"Its domain is blocked. To undo that: {_command('review', 'allow', story.directory, host.host)}"
        case Standing.OFF_HOURS if host.next_at is not None:
            yield f"Its host is not visited at this hour, by politeness.hours, but from {when(host.next_at, now)}."
        case Standing.OVER_QUOTA if host.next_at is not None:
            yield f"Its quota for today is used up; it goes on {when(host.next_at, now)}."
    if host.asleep_until is not None:
        yield f"The host is asleep after failures, until {when(host.asleep_until, now)}."


def _command(*words: str) -> str:
    return shlex.join(["skitter", *words])


def _turn(host: HostLook, ahead: int, now: float) -> str:
    place = f"{counted(ahead, 'URL')} of its host {'is' if ahead == 1 else 'are'} before it"
    if host.next_at is None:
        return f"{place}."
    return f"{place}: its turn comes no sooner than {when(host.next_at + ahead * host.delay, now)}."
