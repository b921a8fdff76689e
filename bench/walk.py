"""An exhaustive walk of files as a crawler should see them, with none of Skitter's own code.

Lexbor reads the pages, the standard library joins the URLs and reads robots.txt; no network is involved.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urldefrag, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode
from spread import DOMAIN, Spread

PAGES = (".html", ".htm", ".xhtml")
MAX_HOPS = 10
FOLLOWED_RELS = {"canonical", "next", "prev", "previous", "alternate"}
SHOWN_RELS = {"stylesheet", "icon"}
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.IGNORECASE)


def key(url: str) -> str:
    """Returns what two URLs of the same page have in common: the dedup rule, written anew."""
    parts = urlsplit(url)
    path = re.sub("//+", "/", quote(unquote(parts.path), safe="/~+=!$()*,;:@&'"))
    folder, _, last = path.rpartition("/")
    path = folder if last.lower() in ("index.html", "index.htm", "index.php") else path
    query = "&".join(sorted(f"{name}={value}" for name, value in parse_qsl(parts.query, keep_blank_values=True)))
    return f"{parts.netloc.lower()}{path.rstrip('/')}{'?' if query else ''}{query}"


def walk(spread: Spread, seeds: list[str]) -> dict[str, tuple[str, str]]:
    """Returns the key of every URL that is reachable and allowed, with a form of it and who links to it."""
    owners = spread.owners()
    queue = deque((seed, "") for seed in seeds)
    known = {key(seed) for seed in seeds}
    reached: dict[str, tuple[str, str]] = {}
    while queue:
        url, parent = queue.popleft()
        for found in _visit(spread, owners, url, parent, reached):
            if (name := key(found)) not in known:
                known.add(name)
                queue.append((found, url))
    return reached


def _visit(
    spread: Spread, owners: dict[str, str], url: str, parent: str, reached: dict[str, tuple[str, str]]
) -> Iterator[str]:
    """Notes a URL that may be fetched, and yields what it leads to."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not spread.allows(url, host):
        return
    reached[key(url)] = (url, parent)
    answer = spread.answer(host, parts.path or "/", owners)
    if answer.location and key(answer.location) == key(url):
        yield from _visit(spread, owners, answer.location, parent, reached)
    elif answer.location:
        yield answer.location
    elif answer.file is not None and answer.file.suffix in PAGES:
        yield from (found for href in hrefs(answer.file) if (found := _joined(url, href)))


def _joined(url: str, href: str) -> str:
    """Returns where an href leads if that is one of our hosts, else nothing."""
    joined = urldefrag(urljoin(url, href.strip("\t\n\f\r ").replace("\n", "")))[0]
    parts = urlsplit(joined)
    ours = parts.scheme == "http" and (parts.hostname or "").endswith(DOMAIN)
    return joined if ours else ""


@cache
def hrefs(file: Path) -> tuple[str, ...]:
    """Returns the hrefs of a page that are to be followed, as written."""
    tree = LexborHTMLParser(file.read_bytes())
    metas = [{name: value or "" for name, value in node.attributes.items()} for node in tree.css("meta")]
    said = " ".join(meta.get("content", "") for meta in metas if meta.get("name", "").lower() == "robots").lower()
    if "nofollow" in said or "none" in said:
        return ()
    found = [href for node in tree.css("a, area, iframe, frame, form, link") for href in _targets(node)]
    pragmas = [meta for meta in metas if meta.get("http-equiv", "").lower() == "refresh"]
    refreshes = [match[1] for meta in pragmas if (match := _REFRESH.match(meta.get("content", ""))) and "=" in match[0]]
    based = tree.css_first("base[href]")
    base = (based.attributes["href"] or "") if based else ""
    return tuple(dict.fromkeys(urljoin(base, href) if base else href for href in [*found, *refreshes]))


def _targets(node: LexborNode) -> Iterator[str]:
    said = {name: value or "" for name, value in node.attributes.items()}
    rels = set(said.get("rel", "").lower().split())
    if rels & {"nofollow", "ugc", "sponsored"}:
        return
    match node.tag:
        case "a" | "area" if "href" in said:
            yield said["href"]
        case "iframe" | "frame" if said.get("src"):
            yield said["src"]
        case "form" if said.get("action") and said.get("method", "get").lower() == "get":
            yield said["action"]
        case "link" if rels & FOLLOWED_RELS and not rels & SHOWN_RELS and said.get("href"):
            yield said["href"]
