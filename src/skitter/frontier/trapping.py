"""Trapping: what the pages of a host tell about its corners, and which of their URLs are put aside."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from skitter.frontier.discover import Discovery
from skitter.frontier.host import Host
from skitter.frontier.tally import Tally
from skitter.judge import traps as judge
from skitter.judge.closed import Closed
from skitter.judge.corner import HOST, Corners, corners_of, ways_of
from skitter.judge.counting import Corner, Visit, is_dated
from skitter.judge.evidence import MILD, evidence_in, year_of
from skitter.judge.novelty import hashes_of
from skitter.judge.plain import after_plain_page
from skitter.judge.sounding import soundings_of
from skitter.judge.suspicion import is_flooding, suspect_size
from skitter.judge.traps import Traps
from skitter.judge.verdict import own_twin
from skitter.messages import Discovered, Errand, Kind, Lease, Outcome, Reason, Said, Url
from skitter.schedule.budget import DomainFlag, Name
from skitter.schedule.priority import SEED_PRIORITY, TRAP
from skitter.settings import Settings
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint

LOOKED_AT = 32
"""New links of a page that are looked at: where the first ones lead tells where all do."""
MISSING = frozenset({Kind.GONE, Kind.FORBIDDEN, Kind.CLIENT_ERROR, Kind.SERVER_ERROR, Kind.ODD_STATUS})
"""How a server says that there is no such page: some break when they are asked for it."""
HASTE = 3
"""How many times less patient we are with a host that leads to more names of its domain, and that one name leads to."""
WRITTEN_EVERY = 8
"""Pages after which what is remembered of a host is written, if no more than that has changed: a crash may lose it."""


class Trapping:
    """Looks after the corners of the hosts of a node."""

    def __init__(self, tally: Tally, settings: Settings, discovery: Discovery) -> None:
        self._tally = tally
        self._limit = settings.scope.max_stale
        self._discovery = discovery
        self._canon = Canon(settings.url)

    def weighed(self, host: Host, lease: Lease, found: Sequence[Discovered]) -> Sequence[Discovered]:
        """Returns the links of a page by their worth: those that stay in a corner that looks like a trap come last."""
        traps, now = host.judged.traps, host.record.last_request
        if not self._limit or not found or not traps.corners:
            return found
        corners = corners_of(lease.href)
        size = suspect_size(traps, corners, self._limit)
        return found if size > HOST else [_weighed(one, lease.host, corners, size, now) for one in found]

    def kept_back(self, host: Host, lease: Lease, found: Sequence[Discovered]) -> Sequence[Discovered]:
        """Returns the links of a page that are not added today: to its own host, if there were too many already."""
        if not self._limit or not is_flooding(host.judged.traps, host.record.last_request):
            return ()
        is_allowed = host.domain.record.flags & DomainFlag.ALLOWED
        return () if is_allowed else [one for one in found if one.host == lease.host]

    def settled(self, host: Host, outcome: Outcome, new: Sequence[Discovered]) -> None:
        """Takes note of a page, or of a redirect, and of the links of it that nobody had seen before."""
        before, lease = host.judged.traps, outcome.lease
        is_made_up = is_sounding(before, lease)
        is_page = outcome.failure is None and (outcome.said is not None or bool(outcome.links))
        if not self._limit or not (is_page or (is_made_up and _is_missing(outcome))):
            return
        if lease.errand is Errand.SOUNDING and not is_made_up:
            return  # nobody waits for its answer any more
        if not is_made_up and (after := self._after_plain_page(host, outcome, new)) is not None:
            self._note(host, after)
            return
        visit = self._visit(host, outcome, new) if is_page else None
        if is_made_up:
            after = judge.after_sounding(before, None if _is_missing(outcome) else visit)
        else:
            assert visit is not None
            after = self._after_page(host, before, visit, lease.fingerprint)
        if visit is not None and (corner := judge.wants_sounding(after, visit)) is not None:
            after = self._sounded(after, corner, lease, outcome.at)
        self._remember(host, before, after)
        if is_flooding(after, outcome.at) and not is_flooding(before, outcome.at):
            _have_reviewed(host)

    def _after_plain_page(self, host: Host, outcome: Outcome, new: Sequence[Discovered]) -> Traps | None:
        """Returns what is remembered of the corners of a host, if a page of it is one like most."""
        lease, said = outcome.lease, _said(outcome)
        inside = [one.href for one in new[:LOOKED_AT] if one.host == lease.host] if new else []
        return after_plain_page(
            host.judged.traps,
            lease.href,
            lease.parent,
            None if said is None else hashes_of(said),
            inside,
            elsewhere=min(len(new), LOOKED_AT) - len(inside),
            links=len(new),
            is_twin=_is_twin(outcome),
            common=host.judged.frame.common,
            now=outcome.at,
            limit=self._limit,
            haste=_haste(host),
        )

    def _visit(self, host: Host, outcome: Outcome, new: Sequence[Discovered]) -> Visit:
        lease, corners = outcome.lease, corners_of(outcome.lease.href)
        inside = [one.href for one in new[:LOOKED_AT] if one.host == lease.host]
        above = judge.corners_above(lease.href, lease.parent)
        closed = frozenset(one.name for one in host.judged.traps.closed)
        ways, ahead = ways_of(corners, inside, min(len(new), LOOKED_AT) - len(inside), closed)
        return Visit(
            corners,
            lease.href,
            above,
            _said(outcome),
            ways,
            outcome.at,
            self._limit,
            _is_twin(outcome),
            host.judged.frame.common,
            len(new),
            ahead,
            _haste(host),
        )

    def _after_page(self, host: Host, traps: Traps, visit: Visit, mark: bytes) -> Traps:
        closed = next((one for one in traps.closed if visit.corners[one.size] == one.name), None)
        if closed is None:
            return judge.after_page(traps, visit)
        after = judge.after_closed(traps, closed, visit, is_review=closed.sample == mark)
        if len(after.closed) < len(traps.closed):
            host.shard.recheck_forbidden(host.record.host)
        return after

    def _sounded(self, traps: Traps, corner: Corner, lease: Lease, now: float) -> Traps:
        """Makes a URL up and queues it before all others of its host."""
        again = judge.asked(corner)
        made = soundings_of(lease.href, corner.echoed + again, whole=corner.size == HOST, dated=is_dated(corner))
        made = [one for one in made if corners_of(one)[corner.size] == corner.name]
        url = self._canon(made[min(again, len(made) - 1)]) if made else None
        if not isinstance(url, Url) or url.host != lease.host:
            return judge.sounded(traps, corner, None, lease.href)
        mark = fingerprint(url.key)
        found = Discovered(url.href, url.host, mark, lease.depth, SEED_PRIORITY, lease.href, Errand.SOUNDING)
        is_new = bool(self._discovery.discover([found], now)[0])
        return judge.sounded(traps, corner, mark if is_new else None, lease.href)

    @staticmethod
    def _note(host: Host, after: Traps) -> None:
        """Remembers what a page has counted, and writes it now and then."""
        host.judged = structs.replace(host.judged, traps=after)
        if not after.pages % WRITTEN_EVERY:
            host.shard.put_judgement(host.record.host, host.judged)

    def _remember(self, host: Host, before: Traps, after: Traps) -> None:
        self._note(host, after)
        closed = judge.newly_closed(before, after)
        self._tally.trapped(closed)
        if closed:
            host.shard.await_review(host.record.host, min(one.review_at for one in after.closed))
        if after.closed is not before.closed or after.sounding is not before.sounding:
            host.shard.put_judgement(host.record.host, host.judged)


def _have_reviewed(host: Host) -> None:
    """Lists the domain of a host among those that a person is asked about; what it has queued is fetched meanwhile."""
    record = host.domain.record
    if not record.flags & DomainFlag.ALLOWED:
        host.domain.change(structs.replace(record, flags=record.flags | DomainFlag.IN_REVIEW))


def _weighed(one: Discovered, host: str, corners: Corners, size: int, now: float) -> Discovered:
    """Returns a link by what speaks against its corner, and by what in its own URL does."""
    if one.host != host or not judge.corners_within(corners, one.href, size):
        return one
    is_odd = not MILD.issuperset(evidence_in(one.href, year_of(now)))
    return structs.replace(one, priority=one.priority * (TRAP * TRAP if is_odd else TRAP))


def is_sounding(traps: Traps, lease: Lease) -> bool:
    """Whether a URL is one that we made up, and whose answer is waited for."""
    return traps.sounding is not None and traps.sounding.fingerprint == lease.fingerprint


def _is_twin(outcome: Outcome) -> bool:
    return own_twin(outcome.verdict.reasons, outcome.verdict.duplicate_of) is not None


def _haste(host: Host) -> int:
    return HASTE if host.record.name is Name.SPRING else 1


def _said(outcome: Outcome) -> Said | None:
    """Returns what a page says; of one without a text that is its title, as far as the sketch knows it."""
    said, sketch = outcome.said, outcome.sketch
    if said is None or said.sample or said.brief or not sketch:
        return said
    return structs.replace(said, sample=sketch)


def _is_missing(outcome: Outcome) -> bool:
    """Whether an answer says that there is no such page; that nobody answered says nothing."""
    failure = outcome.failure
    return Reason.SOFT_404 in outcome.verdict.reasons if failure is None else failure.kind in MISSING


def put_aside_for(traps: Traps, href: str, parent: str | None, mark: bytes) -> Closed | None:
    """Returns the closed corner that a URL is put aside for; the one that is looked at again this week is not."""
    closed = judge.closed_over(traps, href, parent)
    return None if closed is None or closed.sample == mark else closed
