"""Kinds, reasons and states in plain words: one row for each."""

from __future__ import annotations

from skitter.judge.need import Need
from skitter.messages import Failure, Kind, Reason, State

KINDS: dict[Kind, str] = {
    Kind.GONE: "the server says that there is no such page",
    Kind.FORBIDDEN: "the server does not let us in",
    Kind.CLIENT_ERROR: "the server finds fault with our request",
    Kind.TOO_MANY_REQUESTS: "the server says that we ask too often",
    Kind.UNAVAILABLE: "the server is overloaded or under maintenance",
    Kind.SERVER_ERROR: "the server broke while it made the page",
    Kind.ODD_STATUS: "the server answered with a status that HTTP does not have",
    Kind.CONNECT_TIMEOUT: "no connection came about in time",
    Kind.READ_TIMEOUT: "the answer did not come, or did not end, in time",
    Kind.TOO_SLOW: "the answer came too slowly to wait for its end",
    Kind.REFUSED: "nothing listens at that address",
    Kind.RESET: "the server cut the connection",
    Kind.STALE: "the server ended a connection that was kept open, before it answered",
    Kind.UNREACHABLE: "there is no way to that address",
    Kind.DNS_UNKNOWN: "the host's name does not exist",
    Kind.DNS_FAILED: "no name server could say where the host is",
    Kind.TLS_FAILED: "no encrypted connection came about",
    Kind.BAD_CERTIFICATE: "the host's certificate is not in order",
    Kind.BAD_RESPONSE: "the answer is not HTTP, or broke off",
    Kind.HEADERS_TOO_LARGE: "the answer's headers are too large",
    Kind.BAD_ENCODING: "the body is not encoded as its headers say",
    Kind.BOMB: "the body unpacks to far more than it should",
    Kind.REDIRECT_LOOP: "its redirects go in a circle",
    Kind.TOO_MANY_REDIRECTS: "it redirects too many times",
    Kind.BAD_REDIRECT: "it redirects to nowhere",
    Kind.ADDRESS_REFUSED: "its address is private or reserved, and was not allowed (--allow-net, --allow-private)",
    Kind.ROBOTS_UNREADABLE: "the host's robots.txt can't be read",
    Kind.LEASE_EXPIRED: "it was not finished in time, by our own fault",
    Kind.OUR_BUG: "reading it broke Skitter: please report this",
    Kind.CRASHED_US: "the process was killed, or died, while it read the page; if that happens again, please report it",
    Kind.BROWSER_FAILED: "the browser failed to render it, or there was none; what was read without one is kept",
}

NEEDS: dict[str, str] = {
    Need.EMPTY: "it has scripts and hardly any text without them",
    Need.SAMPLE: "it has scripts and little text without them, and was drawn by lot",
    Need.LEARNT: "pages like it said more in one",
    Need.ALWAYS: "all pages are to be (render.mode)",
}

REASONS: dict[Reason, str] = {
    Reason.BAD_URL: "it is not a URL",
    Reason.NOT_HTTP: "it is neither http nor https",
    Reason.URL_TOO_LONG: "it is longer than url.max_length",
    Reason.OUT_OF_SCOPE: "it is out of the crawl's scope",
    Reason.DENIED_BY_PATTERN: "a pattern in scope.deny matches it",
    Reason.ROBOTS_DISALLOW: "robots.txt forbids it",
    Reason.NOFOLLOW: "the page asks us not to follow its links",
    Reason.NOINDEX: "the page asks not to be indexed",
    Reason.TOO_DEEP: "it is further from the seeds than scope.max_depth",
    Reason.TRAP: "it looks like a trap: pages without end",
    Reason.NEAR_DUPLICATE: "another page of its domain says the same",
    Reason.COPY: "a page of another host says the same",
    Reason.SOFT_404: "it only says that there is no such page, though with the status of one that is there",
    Reason.FLOOD: "its host led to too many new URLs that day: it is read again the day after for its links to there",
    Reason.DUST: "it is another form of a URL that is known, by a rule learnt for its host (`skitter host` shows it)",
    Reason.PURGED: "the disk ran full, and it mattered less than what is still queued (frontier.purge_below)",
    Reason.LINKS_CUT: "the page has more links than parse.max_links, and only the first were looked at",
    Reason.NO_SITEMAP: "no robots.txt names it, and the server has no sitemap there",
    Reason.PLUGIN: "plug-ins have something to say of it",
}

STATES: dict[State, str] = {
    State.QUEUED: "to be fetched",
    State.LEASED: "under way",
    State.DONE: "fetched",
    State.SCHEDULED: "fetched, to be seen again",
    State.FAILED: "failed, to be tried again",
    State.SKIPPED: "not ours to fetch",
    State.DEAD: "given up",
}


def kind_in_words(name: str) -> str:
    """Returns a kind of failure as a short label: `read timeout`."""
    return name.replace("_", " ")


def failure_in_words(failure: Failure) -> str:
    """Returns what went wrong as part of a sentence, with what the server or the system said."""
    detail = f" ({failure.detail})" if failure.detail else ""
    return f"{KINDS[failure.kind]}{detail}"
