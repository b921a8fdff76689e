"""What judging the pages of a host has brought: corners that were closed, and what of its URLs makes no difference."""

from __future__ import annotations

from msgspec import Struct

from skitter.inspection.folder import Folder
from skitter.inspection.hosts import HostLook, host_named
from skitter.judge.corner import corners_of
from skitter.judge.dust import Rule, holds
from skitter.judge.mirror import Mirror
from skitter.judge.mirror import holds as is_alias
from skitter.judge.suspicion import against, is_flooding
from skitter.judge.traps import Traps, closed_over
from skitter.shard.records import UrlRecord
from skitter.url.keys import host_of


class ClosedLook(Struct, frozen=True):
    """A corner of which nothing more is fetched."""

    corner: str
    why: str
    closed_at: float
    review_at: float


class SuspectLook(Struct, frozen=True):
    """A corner that comes after others of its host."""

    corner: str
    why: str


class RuleLook(Struct, frozen=True):
    """What was learnt about a piece of a host's URLs."""

    piece: str
    name: str
    agreed: int
    standing: str  # used, learning, broken or refused


class MirrorLook(Struct, frozen=True):
    """The host that one is a mirror of."""

    original: str
    agreed: int  # paths that say the same on both
    standing: str  # as of a rule


class JudgedHost(Struct, frozen=True):
    """One host, and what is thought of it."""

    host: HostLook
    closed: list[ClosedLook]
    rules: list[RuleLook]
    mirror: MirrorLook | None = None
    suspects: list[SuspectLook] = []
    is_flooding: bool = False  # no more of its own links are added today
    hub: str = ""  # the WebSub hub that one of its feeds or pages names


def judged_host(folder: Folder, name: str, now: float) -> JudgedHost | None:
    """Returns what is thought of a host; None: the crawl does not know it."""
    look, shard = host_named(folder, name, now), folder.shard(folder.shard_of(name))
    if look is None or shard is None:
        return None
    judged = shard.judgement(name)
    closed = [ClosedLook(one.name, one.why, one.at, one.review_at) for one in judged.traps.closed]
    rules = [RuleLook(one.piece.value, one.name, one.agreed, _standing(one, holds(one))) for one in judged.dust]
    suspects = suspects_of(folder, judged.traps)
    record = shard.host(name)
    return JudgedHost(
        look,
        closed,
        rules,
        _mirror(shard.mirror(name)),
        suspects,
        is_flooding(judged.traps, now),
        record.hub if record is not None else "",
    )


def _mirror(mirror: Mirror | None) -> MirrorLook | None:
    if mirror is None:
        return None
    return MirrorLook(host_of(mirror.original), mirror.agreed, _standing(mirror, is_alias(mirror)))


def _standing(one: Rule | Mirror, is_used: bool) -> str:
    return "refused" if one.is_refused else "broken" if one.is_broken else "used" if is_used else "learning"


def suspects_of(folder: Folder, traps: Traps) -> list[SuspectLook]:
    """Returns the corners of a host against which something is to be said."""
    limit = folder.settings.scope.max_stale
    return [SuspectLook(corner.name, ", ".join(told)) for corner, told in against(traps, limit)]


def suspect_for(folder: Folder, record: UrlRecord) -> SuspectLook | None:
    """Returns the smallest corner of a URL for which it comes after others of its host."""
    shard = folder.shard(folder.shard_of(record.host))
    if shard is None:
        return None
    found = suspects_of(folder, shard.judgement(record.host).traps)
    return next((one for name in corners_of(record.href) for one in found if one.corner == name), None)


def closed_for(folder: Folder, record: UrlRecord) -> ClosedLook | None:
    """Returns the corner that a URL is put aside for, if it is still closed."""
    shard = folder.shard(folder.shard_of(record.host))
    traps = None if shard is None else shard.judgement(record.host).traps
    closed = None if traps is None else closed_over(traps, record.href, record.parent)
    return None if closed is None else ClosedLook(closed.name, closed.why, closed.at, closed.review_at)
