"""Which host, domain or pages of a crawl an operator means by what they wrote. OperatorError if it is none."""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterable

from skitter.errors import OperatorError
from skitter.inspection.folder import Folder
from skitter.inspection.hosts import host_named, hosts
from skitter.inspection.why import meant_by
from skitter.messages import Reason, State, Url
from skitter.ports import Recrawl, Revive
from skitter.url.canon import Canon
from skitter.url.keys import fingerprint


def host_meant(folder: Folder, text: str) -> str:
    """Returns the host that is meant, be it known to the crawl or not."""
    url = Canon(folder.settings.url)(text if "://" in text else f"http://{text}")
    if not isinstance(url, Url):
        raise OperatorError("HOST", text, "is not a host; right would be example.org or example.org:8080")
    return url.host


def known_host(folder: Folder, text: str) -> str:
    """Returns the name of a host that the crawl knows; the error names the nearest one, which takes a look at all."""
    return require_known(folder, text, (one.host for one in hosts(folder, 0.0)))


def require_known(folder: Folder, text: str, others: Iterable[str] = ()) -> str:
    """Returns the name of a host that the crawl knows; the error names the nearest of others, if there are any."""
    host = host_meant(folder, text)
    if host_named(folder, host, 0.0) is None:
        near = difflib.get_close_matches(host, list(others), n=1)
        hint = f"; did you mean {near[0]}?" if near else "; `skitter hosts DIR` lists those it knows"
        raise OperatorError("HOST", text, f"this crawl does not know it (--anyway does it anyway){hint}")
    return host


def domain_meant(folder: Folder, text: str) -> str:
    """Returns the domain that is meant, by itself or by any host or URL of it."""
    url = Canon(folder.settings.url)(text if "://" in text else f"http://{text}")
    if not isinstance(url, Url):
        raise OperatorError("DOMAIN", text, "is not a domain; right would be example.org")
    return folder.routes.domains.domain_of(url.host)


def page_meant(folder: Folder, text: str) -> Recrawl:
    """Returns the order to see one page again."""
    meant = meant_by(folder, text)
    if isinstance(meant, Reason) or meant[1] is None:
        raise OperatorError("URL", text, "this crawl does not know it; `skitter why` says more")
    return Recrawl(folder.shard_of(meant[0].host), None, fingerprint(meant[0].key))


def pages_of_host(folder: Folder, host: str) -> Recrawl:
    """Returns the order to see the pages of a host again."""
    return Recrawl(folder.shard_of(host), host, at=time.time())


def all_pages(folder: Folder) -> list[Recrawl]:
    """Returns the orders to see all pages again."""
    return [Recrawl(shard.number, at=time.time()) for shard in folder.shards()]


def given_up(folder: Folder, host: str | None, *, is_purged: bool) -> list[Revive]:
    """Returns the orders to try what was given up again, or was purged: of one host or of all."""
    found = []
    for shard in folder.shards():
        has_any = shard.purged() if is_purged else shard.counts().get(State.DEAD)
        if has_any and (host is None or folder.shard_of(host) == shard.number):
            found.append(Revive(shard.number, host, is_purged, time.time()))
    return found


def from_when(folder: Folder) -> str:
    """Returns when an instruction takes effect."""
    at = "when the crawl is next started" if folder.running is None else "within a second or two"
    return f"This takes effect {at}."
