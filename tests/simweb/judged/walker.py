"""A walk over a judged web with none of the crawler's own code but for the dedup key: what links lead to."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from html import unescape
from urllib.parse import urldefrag, urljoin, urlsplit

from skitter.messages import Url
from skitter.simweb.answer import Answer, Ask
from skitter.simweb.judged.sheet import What
from skitter.simweb.judged.web import JudgedWeb
from skitter.url.canon import Canon

_HREF = re.compile(r"""href=(?:"([^"]*)"|'([^']*)')""")
_canon = Canon()
HONEST = frozenset({What.GOOD, What.ALIAS})


def key_of(url: str) -> str:
    """Returns what two forms of a URL have in common."""
    found = _canon(url)
    assert isinstance(found, Url), url
    return found.key


def asked(web: JudgedWeb, url: str, asks: int = 0) -> Answer:
    """Returns the answer to a request."""
    parts = urlsplit(url)
    target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    return web.answer(Ask(parts.hostname or "", target, asks=asks, origin=f"{parts.scheme}://{parts.netloc}"))


def links(web: JudgedWeb, url: str) -> list[str]:
    """Returns where a page leads, redirects included."""
    answer = asked(web, url)
    location = dict(answer.headers).get("Location")
    if location is not None:
        return [urljoin(url, location)]
    found = (urldefrag(urljoin(url, unescape(one or two)))[0] for one, two in _HREF.findall(answer.body.decode()))
    return [one.href for one in map(_canon, found) if isinstance(one, Url)]


def walk(
    web: JudgedWeb, seeds: list[str], follows: Callable[[str], bool], most: int = 1_000_000
) -> dict[str, tuple[str, int]]:
    """Returns what can be reached by way of what `follows` says yes to, by key: a form of it, and how deep it is."""
    queue = deque((seed, 0) for seed in seeds)
    reached = {key_of(seed): (seed, 0) for seed in seeds}
    while queue and len(reached) < most:
        url, depth = queue.popleft()
        if not follows(url):
            continue
        for found in links(web, url):
            if (key := key_of(found)) not in reached:
                reached[key] = found, depth + 1
                queue.append((found, depth + 1))
    return reached
