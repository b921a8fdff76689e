"""The whole story of one URL: how it is written, where it was found, what became of it, what comes next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct, structs

from skitter.errors import masked
from skitter.frontier.policies import policy_of
from skitter.inspection.folder import Folder, ShardLook
from skitter.inspection.hosts import HostLook, host_named
from skitter.inspection.judged import ClosedLook, SuspectLook, closed_for, suspect_for
from skitter.inspection.refused import RefusedLink, is_all_indexed, refused_links
from skitter.messages import Errand, Failure, Reason, State, Url
from skitter.rank.forms import form_of
from skitter.rank.survey.form import Form
from skitter.shard import keys
from skitter.shard.records import TRIMMED, RenderNote, RobotsRecord, UrlRecord
from skitter.store.warc.places import places_of, relative_path
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint, origin_of
from skitter.url.parse import parse
from skitter.url.scope import Scope

MAX_STEPS = 100
"""Of the way back to a seed: more than any crawl is deep, and an end where parents go in a circle."""


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?![0-9])")
"""A scheme, and not a name with a port."""


class Step(Struct, frozen=True):
    """One step back towards the seed: `href` led to the URL before it by a link, redirect, sitemap or robots.txt."""

    href: str
    by: str


class Found(Struct, frozen=True):
    """What is known of a URL that was discovered."""

    href: str  # the form that is fetched
    state: State
    reason: Reason | None
    errand: Errand
    first_seen: float
    depth: int
    priority: float
    tries: int  # that failed, since it was last fetched or revived
    failure: Failure | None  # of the last try, if that failed; the next four too
    failed_at: float | None
    failed_status: int  # 0: there was no answer
    failed_file: str | None  # where that is in the archive
    failed_offset: int
    due: float | None
    last_fetched: float | None  # of the last capture, whatever failed since; the next ones too
    last_status: int
    digest: str | None
    file: str | None
    offset: int
    etag: str | None
    last_modified: str | None
    sitemap_modified: float | None
    steps: list[Step]  # back to the seed, the nearest first
    ahead: int | None  # in its host's queue before it; None: it is not queued
    reasons: list[Reason] = []  # what there is to say against its last capture
    evidence: dict[Reason, str] = {}  # and what speaks for that
    duplicate_of: str | None = None
    render: RenderLook | None = None  # None: it needed no browser, and was in none


class RenderLook(Struct, frozen=True):
    """What became of a page in browsers."""

    why: str
    waits_since: float | None  # for a browser
    is_next: bool  # its next visit is a rendering
    at: float | None  # when it was last rendered, with what that added and cost
    words: int
    links: int
    seconds: float
    cost: float
    asked: int
    refused: int
    is_settled: bool
    tries: int  # that failed
    failure: str  # of the last


class RobotsLook(Struct, frozen=True):
    """What the robots.txt of the URL's origin says about it."""

    url: str
    access: str
    status: int  # of the last answer; 0: there was none
    failure: Failure | None
    fetched_at: float
    read_at: float | None  # when the rules were read
    good_until: float
    allowed: bool
    line: int | None  # the one that decides
    rule: str | None


class Story(Struct, frozen=True):
    """All that `why` can tell."""

    directory: str
    asked: str
    href: str
    key: str
    host: str
    shard: int
    found: Found | None
    other: str | None  # a known URL that differs in its scheme only
    refusal: Reason | None  # why it is out of scope
    robots: RobotsLook | None  # None: it was never asked for
    host_look: HostLook | None  # None: the host is not known
    refused: list[RefusedLink] = []  # links to it that were found and not followed, if it was never discovered
    closed: ClosedLook | None = None  # the trap that it is put aside for
    form: Form | None = None  # the page that it is a form of, by the nightly look
    all_indexed: bool = True  # if not, there may be more such links in a WARC file that is not sealed yet
    suspect: SuspectLook | None = None  # the corner for which it comes after others of its host


def meant_by(folder: Folder, text: str) -> tuple[Url, UrlRecord | None, list[Url]] | Reason:
    """Returns the URL that is meant by `text` and what is known of it, and all URLs that it can be read as."""
    urls = [url for url in _readings(text, Canon(folder.settings.url)) if isinstance(url, Url)]
    if not urls:
        reason = next(_readings(text, Canon(folder.settings.url)))
        assert isinstance(reason, Reason)
        return reason
    known = [(url, record) for url in urls if (record := _record(folder, url)) is not None]
    url, record = known[0] if known else (urls[0], None)
    return url, record, urls


def why(folder: Folder, text: str, now: float) -> Story | Reason:
    """Returns the story of the URL written as `text`, or the reason why it is none."""
    meant = meant_by(folder, text)
    if isinstance(meant, Reason):
        return meant
    url, record, urls = meant
    return Story(
        str(folder.directory),
        masked(text if _SCHEME.match(text) else f"//{text}").removeprefix("//"),
        url.href,
        url.key,
        url.host,
        folder.shard_of(url.host),
        None if record is None else _found(folder, record),
        _other_scheme(folder, url) if record is None else None,
        _refusal(folder, url, record),
        _robots(folder, url),
        host_named(folder, url.host, now),
        refused_links(folder.directory, _forms(text, urls)) if record is None else [],
        None if record is None or record.reason is not Reason.TRAP else closed_for(folder, record),
        None if record is None else form_of(folder.directory, record.href),
        is_all_indexed(folder.directory),
        None if record is None or record.state is not State.QUEUED else suspect_for(folder, record),
    )


def _readings(text: str, canon: Canon) -> Iterator[Url | Reason]:
    """Yields what `text` may stand for: without a scheme it may be either."""
    if _SCHEME.match(text):
        yield canon(text)
    else:
        yield canon(f"https://{text}")
        yield canon(f"http://{text}")


def _forms(text: str, urls: Iterable[Url]) -> set[str]:
    """Returns how a link to the URL may be written in the archive: resolved, but not always canonical."""
    resolved = parse(text)
    return {text, *(url.href for url in urls)} | ({resolved.partition("#")[0]} if resolved else set())


def _shard(folder: Folder, host: str) -> ShardLook | None:
    return folder.shard(folder.shard_of(host))


def _record(folder: Folder, url: Url) -> UrlRecord | None:
    shard = _shard(folder, url.host)
    record = None if shard is None else shard.url(fingerprint(url.key))
    return structs.replace(record, href=url.href, host=url.host) if record is TRIMMED else record


def _found(folder: Folder, record: UrlRecord) -> Found:
    return Found(
        record.href,
        record.state,
        record.reason,
        record.errand,
        record.first_seen,
        record.depth,
        record.priority,
        record.tries + record.crashes,
        record.failure,
        record.failed_at,
        record.failed_status,
        _file(folder, record.failed_file),
        record.failed_offset,
        record.due,
        record.last_fetched,
        record.last_status,
        record.digest,
        _file(folder, record.file),
        record.offset,
        record.etag,
        record.last_modified,
        record.sitemap_modified,
        list(_steps(folder, record)),
        _ahead(folder, record),
        list(record.reasons),
        record.evidence,
        record.duplicate_of,
        _rendered(record.render),
    )


def _rendered(note: RenderNote | None) -> RenderLook | None:
    if note is None:
        return None
    return RenderLook(
        note.why,
        note.since if note.waiting else None,
        note.is_next,
        note.at,
        note.words,
        note.links,
        note.seconds,
        note.cost,
        note.asked,
        note.refused,
        note.is_settled,
        note.tries,
        note.failure,
    )


def _file(folder: Folder, name: str | None) -> str | None:
    if name is None:
        return None
    place, old = places_of(folder.directory / "warc", name)
    being_written = place.with_name(f"{name}.open")
    here = next((path for path in (being_written, place, old) if path.exists()), None)
    bucket = folder.settings.bucket.address
    if here is None and bucket:
        return f"{bucket}/warc/{relative_path(name)}"
    return str(here or place)


def _steps(folder: Folder, record: UrlRecord) -> Iterator[Step]:
    canon = Canon(folder.settings.url)
    for _ in range(MAX_STEPS):
        if record.parent is None:
            return
        url = canon(record.parent)
        parent = _record(folder, url) if isinstance(url, Url) else None
        yield Step(record.parent, _by(record, parent))
        if parent is None:
            return
        record = parent


def _by(record: UrlRecord, parent: UrlRecord | None) -> str:
    if record.errand is Errand.SOUNDING:
        return "sounding"
    if parent is None:
        return "robots.txt" if record.errand is Errand.SITEMAP else "link"
    if parent.errand is Errand.SITEMAP:
        return "sitemap"
    was_redirect = record.parent in record.chain or 300 <= parent.last_status < 400
    return "redirect" if was_redirect else "link"


def _ahead(folder: Folder, record: UrlRecord) -> int | None:
    shard = _shard(folder, record.host)
    if shard is None or not record.queue:
        return None
    queue = (key for key, _ in shard.iterate(keys.queue_prefix(record.host, keys.queue_of(record.queue))))
    return sum(key < record.queue for key in queue)


def _other_scheme(folder: Folder, url: Url) -> str | None:
    scheme, _, rest = url.href.partition("://")
    other = Canon(folder.settings.url)(f"{'http' if scheme == 'https' else 'https'}://{rest}")
    record = _record(folder, other) if isinstance(other, Url) else None
    return None if record is None else record.href


def _refusal(folder: Folder, url: Url, record: UrlRecord | None) -> Reason | None:
    canon = Canon(folder.settings.url)
    seeds = [seed for seed in map(canon, folder.crawl.seeds) if isinstance(seed, Url)]
    # A URL that nobody has found yet is at best one link away.
    depth = record.depth if record is not None else 1
    return Scope(folder.settings.scope, seeds, folder.routes.domains).refusal(url, depth)


def _robots(folder: Folder, url: Url) -> RobotsLook | None:
    shard = _shard(folder, url.host)
    origin = origin_of(url.href)
    record = None if shard is None else shard.robots(origin)
    return None if record is None else robots_look(record, url.href, folder)


def robots_look(record: RobotsRecord, href: str, folder: Folder) -> RobotsLook:
    """Returns what a robots.txt that was read says about `href`."""
    policy = policy_of(record, folder.settings.identity.robots_token, folder.settings.robots)
    rule = policy.deciding(href)
    return RobotsLook(
        f"{origin_of(href)}/robots.txt",
        record.access.value,
        record.status,
        record.failure,
        record.fetched_at,
        record.read_at,
        record.good_until,
        policy.allows(href),
        None if rule is None else rule.line,
        None if rule is None else f"{'Allow' if rule.allow else 'Disallow'}: {rule.pattern}",
    )
