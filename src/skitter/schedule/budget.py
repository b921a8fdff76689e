"""How much of a crawl a domain may have. Pure: what is known of it comes in, its share goes out.

Turns by host are what farms live on: a name costs nothing, and every one asks for its turn. So turns and budgets are
those of domains, which cost money, and a domain has to be vouched for:

    the operator's    a seed is in it, or `skitter boost` or `review allow` named it: as much as politeness allows
    vouched for       enough domains that are trusted link to it
    established       it earned that: page by page it said something new, and did not spread over ever more names
    unknown           one page to begin with, four more for each that says something new

Unknown domains together have a tenth of the turns while others have work. What an unknown domain says of others counts
for nothing, so that a farm can't vouch for itself; and trust fades from hand to hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum

from msgspec import Struct, structs

from skitter.schedule.priority import front_class
from skitter.settings import DAY

FIRST_PAGES = 1
"""What an unknown domain may be asked for before it has said anything."""
EARNED = 4.0
"""What a page that says something new earns an unknown domain."""
EARNED_BY_LITTLE = 1.5
"""The same for one that says hardly anything, but nothing that was said before: it is worth the next one."""
EARNED_WHEN_SPREAD = 0.2
"""The same if the domain has more names than anybody vouches for: less than the page cost."""
NAMES = 4
"""Hosts that a domain may have beside as many for each domain that vouches for it before it counts as spread."""
OUTWARD = 3
"""A page that leads to so many hosts of which nobody had heard, and to more hosts than it has links at home, earns
nothing beyond the next page: so are farms made."""
ESTABLISHED = 20
"""Pages that said something new, after which a domain that has not spread counts as established."""
ENOUGH_SUPPORT = 2.5
"""The trust that must be put into a domain before it counts as vouched for: three seeds, or many that they trust."""
FADES = 0.08
"""What a domain hands on of the trust that is put into it."""
MOST_TRUST = 0.4
MOST_SUPPORTERS = 16
"""Domains that are remembered to link to a domain: those that are trusted most."""
MORE = 2.0
"""How much more than the last of them another one must be trusted to take its place: trust grows page by page, and to
follow it to the letter would cost more than the page."""
UNKNOWN_SHARE = 0.1
"""The part of all turns that unknown domains have together, while others have work."""
LEAST_WORTH = 0.02
HOSTS_AT_ONCE = 2
"""Hosts of an unknown domain that are in memory at a time."""
HOSTS_IN_A_ROW = 64
"""Hosts of a domain that are brought in before it is the next domain's turn."""
SINGLES = 4
"""Hosts of a domain that a single host of it leads to, and nobody else, that are visited to begin with."""
SINGLES_EARNED = 4
"""More of them for each that was visited and did not lead to yet more names: names without end are made of such."""
SINGLES_FOR_KNOWN = 2
"""And for each host that is known, but for the seeds', and has said something new in several pages."""
SEVERAL = 5
FARM_HOSTS = 50
"""Hosts of a domain that nobody vouches for, from which on it may be taken for a farm."""


class DomainFlag(IntEnum):
    """Bits of a domain's record."""

    NONE = 0
    SEED = 1  # one of its URLs is a seed
    ALLOWED = 2  # by the operator
    BLOCKED = 4  # by the operator, or until the operator has looked at it
    IN_REVIEW = 8  # blocked by us


_BY_OPERATOR = int(DomainFlag.SEED | DomainFlag.ALLOWED)


class Name(IntEnum):
    """What the name of a host is worth, among the names of its domain."""

    KNOWN = 0  # a seed, or two hosts lead to it, or another domain
    SINGLE = 1  # a single host of its domain leads to it
    SPOKE = 2  # so it was, and it leads to no more names
    SPRING = 3  # and it leads to more names


class Supporter(Struct, frozen=True, array_like=True, gc=False):
    """A domain that links to another."""

    mark: int  # stands for its name
    trust: float


class DomainRecord(Struct, frozen=True, array_like=True):
    """What is known of one domain. Fields are only added at the end."""

    domain: str
    first_seen: float
    flags: int = 0
    supporters: tuple[Supporter, ...] = ()
    hosts: int = 0  # found
    pages: int = 0  # fetched
    good: int = 0  # of them, said something new
    earned: float = 0.0
    day: int = 0
    used: int = 0  # pages of that day
    singles: int = 0  # hosts that were visited though a single host of it led to them
    spokes: int = 0  # of these, those that did not lead to more names
    springs: int = 0  # and those that did
    known: int = 0  # hosts that two others or another domain lead to, with several good pages
    worth: float | None = None  # by the nightly look
    outward: int = 0  # pages that led to more hosts abroad than at home
    boosted: int = 0  # pages that are still to be fetched before all others
    support: float = 0.0  # the trust that its supporters put into it, together
    parts: int = 1  # of so many equal ones of a domain this is one


class PageOfDomain(Struct, frozen=True, gc=False):
    """What a page says for its domain."""

    is_good: bool  # it says something new, and nothing is said against it
    is_poor: bool = False  # it says what was said before, or that there is no page
    abroad: int = 0  # other hosts that it links to
    links: int = 0  # of it in all
    fresh: int = 0  # hosts of which nobody had heard


def is_operators(record: DomainRecord) -> bool:
    """Whether the operator vouches for a domain."""
    return bool(record.flags & _BY_OPERATOR)


def is_blocked(record: DomainRecord) -> bool:
    """Whether nothing of a domain may be fetched."""
    return bool(record.flags & DomainFlag.BLOCKED)


def is_spread(record: DomainRecord) -> bool:
    """Whether a domain has more hosts than its supporters account for."""
    return record.hosts > NAMES * (1 + len(record.supporters))


def is_proven(record: DomainRecord) -> bool:
    """Whether a domain has its turn among those that are known to be worth it."""
    if record.flags & _BY_OPERATOR:  # this and the next ones are asked for every page: they do not ask one another
        return True
    if record.worth is not None and record.worth < LEAST_WORTH:
        return False
    return record.support >= ENOUGH_SUPPORT or (record.good >= ESTABLISHED and not is_spread(record))


def trust_of(record: DomainRecord) -> float:
    """Returns how much a link from a domain says for another."""
    if record.flags & _BY_OPERATOR:
        return 1.0
    return min(MOST_TRUST, FADES * record.support) if is_proven(record) else 0.0


def worth_of(record: DomainRecord) -> float:
    """Returns what a domain has shown itself to be good for, 0 to 1: by the nightly look, or by its pages so far."""
    if record.flags & _BY_OPERATOR:
        return max(0.5, record.worth or 0.0, 1.0 if record.worth is None else 0.0)
    if record.worth is not None:
        return record.worth
    return 0.5 if is_proven(record) else 0.2


def worth_of_host(worth: float | None, record: DomainRecord) -> float:
    """Returns what a host is good for, 0 to 1: by the nightly look, or else as its domain is."""
    return worth_of(record) if worth is None else worth


def class_of_host(record: DomainRecord, priority: float, worth: float | None) -> int:
    """Returns the class that a host waits in: by its best URL, and by what it is worth now."""
    return 0 if record.boosted else front_class(priority * worth_of_host(worth, record))


def weight(record: DomainRecord) -> float:
    """Returns how often a domain has its turn against the others of its kind."""
    return (4.0 if record.boosted > 0 else max(LEAST_WORTH, worth_of(record))) / record.parts


def pages_left(record: DomainRecord, day: int) -> float:
    """Returns how many pages of a domain may be fetched on a day."""
    if record.flags & DomainFlag.BLOCKED:
        return 0.0
    if is_proven(record):
        return math.inf
    return FIRST_PAGES + record.earned - (record.used if record.day == day else 0)


def most_at_once(share: float, in_flight: int) -> int:
    """Returns how many pages of a domain may be under way at a time, of so many requests in all."""
    return max(1, math.ceil(share * in_flight))


def room_for_hosts(record: DomainRecord, inside: int, window: int) -> int:
    """Returns how many hosts of a domain may come into memory beside the `inside` ones, of `window` in all."""
    if is_proven(record):
        return max(0, max(1, window // 2) - inside)
    # The first page of a domain decides whether there is a second one: until then another host is not asked anything.
    return max(0, (HOSTS_AT_ONCE if record.earned >= EARNED else 1) - inside)


def may_bring_single(record: DomainRecord) -> bool:
    """Whether one more host may be visited that a single host of its domain leads to."""
    return record.singles < SINGLES + SINGLES_EARNED * record.spokes + SINGLES_FOR_KNOWN * record.known


def after_single(record: DomainRecord, before: Name, after: Name) -> DomainRecord:
    """Returns a domain of which one more is known about such a host."""
    return structs.replace(
        record,
        spokes=record.spokes + (after is Name.SPOKE) - (before is Name.SPOKE),
        springs=record.springs + (after is Name.SPRING) - (before is Name.SPRING),
    )


def name_after(name: Name, names: int, new: int) -> Name:
    """Returns what a host is after a page of it that leads to so many names of its domain, `new` ones among them.

    Where names have an end, most that a page leads to are known sooner or later; a spring knew none of them once.
    """
    if name is Name.KNOWN or name is Name.SPRING:
        return name
    return Name.SPRING if new * 2 > names else Name.SPOKE


def quota(ceiling: int, record: DomainRecord | None, health: float, worth: float | None = None) -> int:
    """Returns the requests to a host in a day: the operator's `ceiling`, less where worth or health are low.

    `worth` is the host's, by the nightly look; without it that of its domain counts, if there was a look.
    """
    if record is None or is_operators(record):
        return ceiling
    known = record.worth if worth is None else worth
    return ceiling if known is None else max(1, round(ceiling * max(LEAST_WORTH, known) * max(0.1, health)))


def trust_that_adds_nothing(record: DomainRecord) -> float:
    """Returns up to which trust one more domain that links to it makes no difference to speak of; below 0: any does."""
    return record.supporters[-1].trust * MORE if len(record.supporters) >= MOST_SUPPORTERS else -1.0  # they are sorted


def with_supporter(record: DomainRecord, mark: int, trust: float) -> DomainRecord:
    """Returns a domain to which one more links that is trusted, each counted once."""
    if not trust or trust <= trust_that_adds_nothing(record):
        return record
    ranked = [one for one in record.supporters if one.mark != mark]
    if len(ranked) < len(record.supporters) and trust <= next(s.trust for s in record.supporters if s.mark == mark):
        return record
    place = len(ranked)
    while place and ranked[place - 1].trust < trust:  # from the end: most are trusted as the last one is, or less
        place -= 1
    kept = (*ranked[:place], Supporter(mark, trust), *ranked[place:])[:MOST_SUPPORTERS]
    return structs.replace(record, supporters=kept, support=sum([one.trust for one in kept]))


def with_use(record: DomainRecord, now: float) -> DomainRecord:
    """Returns a domain of which a page is being fetched."""
    day = int(now // DAY)
    used = record.used + 1 if record.day == day else 1
    return structs.replace(record, day=day, used=used, boosted=record.boosted and record.boosted - 1)


def without_use(record: DomainRecord, pages: int = 1) -> DomainRecord:
    """Returns a domain of which a page, or some, were to be fetched, and none came."""
    return structs.replace(record, used=max(0, record.used - pages))


def after_page(record: DomainRecord, page: PageOfDomain) -> DomainRecord:
    """Returns a domain after one of its pages was read."""
    is_outward = page.fresh >= OUTWARD and page.abroad * 2 > page.links
    earned = 0.0
    if not page.is_poor and not is_outward:
        earned = EARNED_WHEN_SPREAD if is_spread(record) else EARNED if page.is_good else EARNED_BY_LITTLE
    elif is_outward and not record.outward and not is_spread(record):
        earned = 1.0  # one list of links is no farm
    return structs.replace(
        record,
        pages=record.pages + 1,
        good=record.good + page.is_good,
        earned=record.earned + earned,
        outward=record.outward + is_outward,
    )


def allowed(record: DomainRecord) -> DomainRecord:
    """Returns a domain that the operator vouches for."""
    flags = (record.flags | DomainFlag.ALLOWED) & ~(DomainFlag.BLOCKED | DomainFlag.IN_REVIEW)
    return structs.replace(record, flags=flags)


def blocked(record: DomainRecord) -> DomainRecord:
    """Returns a domain that the operator wants nothing more of."""
    flags = (record.flags | DomainFlag.BLOCKED) & ~(DomainFlag.ALLOWED | DomainFlag.IN_REVIEW)
    return structs.replace(record, flags=flags, boosted=0)


def looks_like_a_farm(record: DomainRecord) -> Sequence[str]:
    """Returns what speaks for a domain being part of a farm; nothing unless it is enough to block it for now."""
    has_shape = record.hosts >= FARM_HOSTS and record.pages > 0 and record.outward * 2 >= record.pages
    return against(record) if has_shape and not is_proven(record) else ()


def against(record: DomainRecord) -> Sequence[str]:
    """Returns what is known of a domain that speaks against it, for people to decide by."""
    return (
        f"{record.hosts} hosts found",
        f"{len(record.supporters)} trusted domains link to it",
        f"{record.outward} of {record.pages} pages lead to more hosts abroad than at home",
    )


def dealt_out(record: DomainRecord, names: Sequence[str]) -> list[DomainRecord]:
    """Returns the parts of a domain: what is known of it is known of each, what it may have is dealt out to them."""
    parts = len(names)
    counted = {name: getattr(record, name) for name in _DEALT}
    return [
        structs.replace(
            record,
            domain=name,
            parts=parts * record.parts,
            earned=max(0.0, (FIRST_PAGES + record.earned) / parts - FIRST_PAGES),  # each may show what it is good for
            **{what: (count + number) // parts for what, count in counted.items()},
        )
        for number, name in enumerate(names)
    ]


_DEALT = ("hosts", "used", "singles", "spokes", "springs", "known", "boosted")
