"""Documents that are no pages and have links all the same: a PDF, or what a plug-in reads. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from skitter.messages import FOR_PAGES, Directives, Fetched, Link, LinkKind, Page, header_values
from skitter.parse.links import abroad, targets_of
from skitter.parse.outlinks import IsKnown
from skitter.parse.sniffing import magic
from skitter.reading.meaning import Reading, Rules
from skitter.reading.read import meaning_of
from skitter.robots import directives
from skitter.url.keys import host_of
from skitter.url.parse import parse

PDF = "application/pdf"
PDF_TAG = "pdf"
"""The tag of a link that is in a PDF."""


def is_unread_pdf(fetched: Fetched, reading: Reading) -> bool:
    """Whether an answer is a PDF that nobody has read yet."""
    is_odd = reading.failure is not None or reading.reason is not None or reading.better is not None or reading.listed
    if is_odd or reading.said is not None or fetched.lease.errand not in FOR_PAGES:
        return False
    return 200 <= fetched.status < 300 and not fetched.truncated and magic(fetched.body) == PDF


def linked_page(fetched: Fetched, hrefs: Sequence[str], tag: str, rules: Rules, is_known: IsKnown) -> Page:
    """Returns a document as a page that has these links, as written, and nothing else."""
    lease, settings = fetched.lease, rules.settings
    resolved = (parse(text, lease.href) for text in hrefs[: settings.parse.max_links])
    links = [Link(url, tag, LinkKind.NAVIGATION, False, "") for url in dict.fromkeys(resolved) if url is not None]
    led, refused = targets_of(links, rules.canon)
    new = [target for target in led if not is_known(target[2])]
    sent = header_values(fetched.headers, "x-robots-tag")
    return Page(
        url=lease.href,
        base=lease.href,
        encoding="",
        links=links,
        directives=directives.from_headers(sent, settings.identity.robots_token) if sent else Directives(),
        targets=new,
        known=len(led) - len(new),
        refused=refused,
        abroad=abroad(led, host_of(lease.href)),
        links_cut=len(hrefs) > settings.parse.max_links,
    )


def with_links(fetched: Fetched, reading: Reading, hrefs: Sequence[str], rules: Rules, is_known: IsKnown) -> Reading:
    """Returns the meaning of a PDF that has these links. What it says is not judged: it is for the table of texts."""
    if not hrefs:
        return reading
    meant = meaning_of(linked_page(fetched, hrefs, PDF_TAG, rules, is_known), fetched, rules)
    return structs.replace(
        reading,
        found=meant.found,
        known=meant.known,
        links=meant.links,
        refused=meant.refused,
        verdict=meant.verdict,
        abroad=meant.abroad,
    )
