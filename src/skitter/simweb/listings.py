"""What a host says of itself to crawlers: robots.txt with its detours, and sitemaps."""

from __future__ import annotations

from msgspec import structs

from skitter.simweb.links import Sites
from skitter.simweb.robots import SHARED_PATH, SHARED_TEXT, Detour
from skitter.simweb.roles import Role
from skitter.simweb.site import Site, origin
from skitter.simweb.spec import ALWAYS, RESET, Anchor, Spec, What

ROBOTS_PATH = "/robots.txt"
SITEMAP_PATH = "/sitemap.xml"
PARTS = ("/sitemap-1.xml.gz", "/sitemap-2.xml")
FAR_HOPS = 5


def listing(sites: Sites, site: Site, name: str, path: str) -> Spec | None:
    """Returns what a robots.txt or a sitemap of the host is, or None if `path` is neither."""
    if path == ROBOTS_PATH:
        return _robots(sites, site, name)
    if path.startswith("/robots-"):
        return _robots_elsewhere(sites, site, name, path)
    if site.has_sitemap and path.startswith("/sitemap"):
        return _sitemap(sites, site, path)
    return None


def robots_text(sites: Sites, site: Site) -> str:
    """Returns the text of the host's robots.txt, wherever it is found."""
    text = site.robots.text.replace("{delay}", f"{site.crawl_delay}")
    if site.has_sitemap:
        text += f"Sitemap: {sitemap_url(sites, site)}\n"
    return text


def sitemap_url(sites: Sites, site: Site) -> str:
    """Returns where robots.txt says that the sitemap is."""
    return origin(sites.settings, site.name) + SITEMAP_PATH


def _robots(sites: Sites, site: Site, name: str) -> Spec:
    kind = site.robots
    match kind.detour:
        case Detour.PATH:
            return _detour(origin(sites.settings, name) + "/robots-own.txt")
        case Detour.CHAIN:
            return _detour(origin(sites.settings, name) + "/robots-1.txt")
        case Detour.WWW if not name.startswith("www."):
            return _detour(origin(sites.settings, f"www.{name}") + ROBOTS_PATH)
        case Detour.AWAY:
            return _detour(origin(sites.settings, sites.site(0).name) + SHARED_PATH)
    text = robots_text(sites, site)
    if kind.status in (200, 204):
        return _text(text, kind.media, site.robots_wait, kind.status)
    failures = sites.settings.failures if kind.passing else ALWAYS
    return structs.replace(_text(text), failing=kind.status or RESET, failures=failures)


def _robots_elsewhere(sites: Sites, site: Site, name: str, path: str) -> Spec | None:
    if path == SHARED_PATH:
        return _text(SHARED_TEXT)
    if path == "/robots-own.txt":
        return _text(robots_text(sites, site))
    hop = path.removeprefix("/robots-").removesuffix(".txt")
    if not hop.isdigit() or not 0 < int(hop) < FAR_HOPS:
        return None
    after = "own" if int(hop) == FAR_HOPS - 1 else str(int(hop) + 1)
    return _detour(f"{origin(sites.settings, name)}/robots-{after}.txt")


def _detour(url: str) -> Spec:
    return Spec(what=What.REDIRECT, status=301, location=url, target=url)


def _text(text: str, media: str = "text/plain", delay: float = 0.0, status: int = 200) -> Spec:
    return Spec(what=What.FILE, status=status, body=text.encode(), media=media, delay=delay)


def _sitemap(sites: Sites, site: Site, path: str) -> Spec | None:
    home = origin(sites.settings, site.name)
    listed = _listed(site)
    if not site.has_index:
        return _urlset(home, site, listed) if path == SITEMAP_PATH else None
    if path == SITEMAP_PATH:
        parts = tuple(Anchor(part, home + part) for part in PARTS)
        return Spec(what=What.SITEMAP_INDEX, links=parts, media="application/xml")
    if path in PARTS:
        return _urlset(home, site, listed[PARTS.index(path) :: 2], gzipped=path.endswith(".gz"))
    return None


def _listed(site: Site) -> list[int]:
    """Returns the pages that the sitemap lists: all that no link leads to, and half of the others."""
    return site.hidden + [number for number in site.order[::2] if site.roles[number] is not Role.SHUNNED]


def _urlset(home: str, site: Site, numbers: list[int], *, gzipped: bool = False) -> Spec:
    links = tuple(Anchor(path, home + path) for path in map(site.paths.__getitem__, numbers))
    media = "application/gzip" if gzipped else "application/xml"
    return Spec(what=What.SITEMAP, links=links, media=media, gzipped=gzipped)
