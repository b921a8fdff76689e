"""From a role to the description of its page: one function a group of roles, one table that joins them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import structs

from skitter.messages import LinkKind
from skitter.simweb.draw import SPAN, draws
from skitter.simweb.links import NamedPage, Sites, calendar, hosts_listed, links_of
from skitter.simweb.roles import HOPS, ROLES, Role
from skitter.simweb.site import origin
from skitter.simweb.spec import RESET, Anchor, Legacy, Spec, What

REDIRECTS = (301, 302, 303, 307, 308)
LEGACIES = (
    Legacy("windows-1251", "Привет, это старая страница", in_header=True),
    Legacy("shift_jis", "これは古いページです", in_meta=True),
    Legacy("iso-8859-2", "Zażółć gęślą jaźń", in_header=True),
    Legacy("euc-kr", "오래된 페이지입니다", in_meta=True),
    Legacy("gb18030", "这是一个旧页面", in_header=True),
    Legacy("windows-1252", "Größe, façade, naïve – “quoted”", in_meta=True),
    Legacy("utf-16le", "A page of two-byte signs", in_header=True),
)
PDF = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"


def describe(sites: Sites, place: NamedPage, role: Role) -> Spec:
    """Returns what the page at `place`, which plays `role`, is."""
    settings, row = sites.settings, ROLES[role]
    if role in _OWN:
        return _OWN[role](sites, place)
    if row.status != 200 and not row.passing:
        return Spec(what=What.ERROR, status=row.status)
    spec = plain_page(sites, place)
    if row.passing:
        return structs.replace(
            spec,
            failing=row.status or RESET,
            failures=settings.failures,
            retry_after=settings.retry_after if row.soon else 0,
        )
    if role in _CHANGED:
        return _CHANGED[role](sites, place, spec)
    return structs.replace(spec, **_FIXED[role]) if role in _FIXED else spec


def redirect(sites: Sites, place: NamedPage, path: str) -> Spec:
    """Returns a redirect to a path of the same host, written as a path or in full."""
    url = origin(sites.settings, place.name) + path
    die = draws(1, sites.settings.seed, "redirect", place.site.index, path)[0]
    return Spec(
        what=What.REDIRECT,
        status=REDIRECTS[die % len(REDIRECTS)],
        location=path if die % 2 else url,
        target=url,
    )


def hop(sites: Sites, place: NamedPage, role: Role, step: int) -> Spec:
    """Returns one step of a chain of redirects; the last one leads to a page, or to the first one for a loop."""
    if step < HOPS[role]:
        return redirect(sites, place, f"{ROLES[role].path.format(place.number)}/{step + 1}")
    if role is Role.LOOP:
        return redirect(sites, place, ROLES[role].path.format(place.number))
    return _moved(sites, place)


def plain_page(sites: Sites, place: NamedPage) -> Spec:
    """Returns an ordinary page with its links."""
    settings = sites.settings
    size = draws(1, settings.seed, "size", place.site.index, place.number)[0] / SPAN
    return Spec(
        title=f"Page {place.number} of {place.site.name}",
        links=links_of(sites, place),
        seed=f"{settings.seed}/{place.site.index}/{place.number}",
        size=int(settings.page_bytes * (0.5 + size)),
    )


def month(sites: Sites, name: str, number: int) -> Spec:
    """Returns a month of a calendar that has no end."""
    return Spec(title=f"Month {number}", links=calendar(sites.settings, name, number), endless=True)


def _other(sites: Sites, place: NamedPage) -> NamedPage:
    """Returns a page of the same host that others may point to."""
    targets = place.site.sturdy
    die = draws(1, sites.settings.seed, "other", place.site.index, place.number)[0]
    return place._replace(number=targets[die % len(targets)])


def _moved(sites: Sites, place: NamedPage) -> Spec:
    targets = [*place.site.sturdy[:4], *place.site.private[:2]]
    die = draws(1, sites.settings.seed, "moved", place.site.index, place.number)[0]
    return redirect(sites, place, place.site.paths[targets[die % len(targets)]])


def _away(sites: Sites, place: NamedPage) -> Spec:
    die, page = draws(2, sites.settings.seed, "away", place.site.index, place.number)
    other = sites.site(die % sites.settings.hosts)
    spec = redirect(sites, NamedPage(other, other.name, 0), other.paths[other.sturdy[page % len(other.sturdy)]])
    return structs.replace(spec, location=spec.target)


def _chain(role: Role) -> Callable[[Sites, NamedPage], Spec]:
    return lambda sites, place: hop(sites, place, role, 0)


def _to_slash(sites: Sites, place: NamedPage) -> Spec:
    spec = redirect(sites, place, f"{ROLES[Role.SLASH].path.format(place.number)}/")
    return structs.replace(spec, status=301)


def _mirror(sites: Sites, place: NamedPage) -> Spec:
    return plain_page(sites, _other(sites, place))


def _file(_sites: Sites, _place: NamedPage) -> Spec:
    return Spec(what=What.FILE, body=PDF, media="application/pdf")


def _hosts(sites: Sites, place: NamedPage) -> Spec:
    return Spec(title=f"Hosts, part {place.number}", links=hosts_listed(sites, place))


def _slow(sites: Sites, place: NamedPage, spec: Spec) -> Spec:
    die = draws(1, sites.settings.seed, "slow", place.site.index, place.number)[0]
    return structs.replace(spec, delay=sites.settings.slow * (0.25 + 0.75 * die / SPAN))


def _big(sites: Sites, _place: NamedPage, spec: Spec) -> Spec:
    return structs.replace(spec, size=sites.settings.big_bytes)


def _legacy(_sites: Sites, place: NamedPage, spec: Spec) -> Spec:
    return structs.replace(spec, legacy=LEGACIES[place.number % len(LEGACIES)])


def _pointing(kind: LinkKind, tag: str, *, in_full: bool) -> Callable[[Sites, NamedPage, Spec], Spec]:
    def changed(sites: Sites, place: NamedPage, spec: Spec) -> Spec:
        path = place.site.paths[_other(sites, place).number]
        url = origin(sites.settings, place.name) + path
        href = url if in_full else path
        return structs.replace(spec, head=tag.format(href), links=(*spec.links, Anchor("", url, kind=kind)))

    return changed


def _based(sites: Sites, place: NamedPage, spec: Spec) -> Spec:
    base = origin(sites.settings, place.name) + "/deep/down/"
    return structs.replace(
        spec,
        head=f'<base href="{base}">',
        links=tuple(
            link._replace(href=f"../..{link.href}") if link.href.startswith("/") and link.href[1] != "/" else link
            for link in spec.links
            if link.href != "/"
        ),
    )


_OWN: dict[Role, Callable[[Sites, NamedPage], Spec]] = {
    Role.HOSTS: _hosts,
    Role.MOVED: _moved,
    Role.AWAY: _away,
    Role.CHAIN: _chain(Role.CHAIN),
    Role.LONG_CHAIN: _chain(Role.LONG_CHAIN),
    Role.LOOP: _chain(Role.LOOP),
    Role.SLASH: _to_slash,
    Role.MIRROR: _mirror,
    Role.FILE: _file,
}
_FIXED: dict[Role, dict[str, Any]] = {
    Role.PACKED: {"packed": True},
    Role.CHUNKED: {"chunked": True},
    Role.FRESH: {"validators": True},
    Role.GUARDED: {"follow": False, "head": '<meta name="robots" content="nofollow">'},
    Role.UNINDEXED: {"head": '<meta name="robots" content="noindex">'},
}
_CHANGED: dict[Role, Callable[[Sites, NamedPage, Spec], Spec]] = {
    Role.SLOW: _slow,
    Role.BIG: _big,
    Role.LEGACY: _legacy,
    Role.BASED: _based,
    Role.PRINT: _pointing(LinkKind.CANONICAL, '<link rel="canonical" href="{}">', in_full=True),
    Role.REFRESH: _pointing(LinkKind.REFRESH, '<meta http-equiv="refresh" content="5; url={}">', in_full=False),
}
