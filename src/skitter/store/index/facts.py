"""What the archive keeps of a capture beside the bytes, and the metadata record that holds it.

The block is `application/warc-fields`: one `name: value` a line. A link is a line of its own, so that the links table
can always be made again from the WARC file alone:

    outlink: https://example.org/next a navigation follow The next page
    outlink: https://example.com/ a navigation follow,out_of_scope Friends of ours

The fourth word says what the link asks, and after a comma why it was not followed, if it was not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from skitter.messages import Link, Reason, Verdict
from skitter.parse.outlinks import as_table
from skitter.ports import Capture, Snapshot
from skitter.store.warc.dates import to_micros
from skitter.store.warc.sha256 import sha256

DROPPED = "drop"
"""The verdict on a page that a plug-in has out of the text table and of exports; its links are not followed either."""

Outlink: TypeAlias = tuple[str, str, str, bool, str]
"""A link as `messages.Link` has it: url, tag, kind, nofollow, anchor. None of them breaks a line."""


class Facts(Struct, frozen=True):
    """What a metadata record says. Empty text and None mean that it says nothing."""

    host: str = ""
    errand: str = ""
    depth: int | None = None
    tries: int = 0
    chain: Sequence[str] = ()  # the URLs that redirected here
    parent: str = ""
    micros: int | None = None  # from the start of the request to its end
    received: int | None = None  # bytes of the payload as it came over the wire
    content_length: int | None = None
    content_digest: str = ""
    verdict: str = ""
    reasons: Sequence[str] = ()
    duplicate_of: str = ""
    simhash: int | None = None
    failure: str = ""
    failure_detail: str = ""
    insecure: bool = False
    encoding: str = ""
    lang: str = ""
    title: str = ""
    links: Sequence[Outlink] = ()
    refused: dict[int, str] = {}  # why links were not followed, by their place among the links
    agreed: float | None = None  # the delay that the operator agreed on with the host: `audit` holds us to it
    fields: dict[str, str] = {}  # what plug-ins found in the page
    rendered: str = ""  # why it was run in a browser, if it was: then all that it says is of the snapshot
    rendered_url: str = ""  # where it was in the end, if not at its own URL
    rendered_digest: str = ""  # of the snapshot
    added: tuple[int, int] | None = None  # words and links that this added
    took: tuple[float, float, int, int] | None = None  # seconds, CPU seconds, requests, those refused


def facts_of(capture: Capture, content_digest: str) -> Facts:
    """Returns the facts of a capture; `content_digest` is empty if there was no answer."""
    fetched, verdict = capture.fetched, capture.verdict
    lease, failure = fetched.lease, fetched.failure
    return Facts(
        host=one_line(lease.host),
        errand=lease.errand,
        depth=lease.depth,
        tries=lease.tries,
        chain=[one_line(url) for url in lease.chain] if lease.chain else [],
        parent=one_line(lease.parent) if lease.parent else "",
        micros=to_micros(fetched.ended) - to_micros(fetched.began),
        received=(len(fetched.payload) if capture.received is None else capture.received) if content_digest else None,
        content_length=len(fetched.body) if content_digest else None,
        content_digest=content_digest,
        verdict=_follow(not verdict.follow) if verdict.keep else DROPPED,
        reasons=reasons_of(verdict) if verdict.reasons else [],
        duplicate_of=one_line(verdict.duplicate_of) if verdict.duplicate_of else "",
        simhash=capture.simhash,
        failure=failure.kind if failure else "",
        failure_detail=one_line(failure.detail) if failure else "",
        insecure=fetched.insecure,
        encoding=one_line(capture.encoding),
        lang=one_line(capture.lang),
        title=one_line(capture.title),
        links=_outlinks(capture.links),
        refused=dict(capture.refused),
        agreed=lease.agreed,
        fields=dict(capture.fields) if capture.fields else {},
        **(_rendered(capture.snapshot) if capture.snapshot is not None else {}),
    )


def reasons_of(verdict: Verdict) -> list[str]:
    """Returns what is said of a page: `plugin:name:reason` for what a plug-in says."""
    own = [str(reason) for reason in verdict.reasons if reason is not Reason.PLUGIN]
    return [*own, *(f"{Reason.PLUGIN}:{mark}" for mark in verdict.marks)]


def _rendered(snapshot: Snapshot) -> dict[str, Any]:
    one = snapshot.rendering
    return {
        "rendered": one.why,
        "rendered_url": one_line(snapshot.url),
        "rendered_digest": f"sha256:{sha256(snapshot.dom).hex()}",
        "added": (one.words, one.links),
        "took": (one.seconds, one.cost, one.asked, one.refused),
    }


def encode(facts: Facts) -> bytes:
    """Returns the block of the metadata record that says `facts`."""
    return b"".join(encode_apart(facts))


def encode_apart(facts: Facts) -> tuple[bytes, bytes]:
    """Returns the two parts of that block: the second is the links, which are longer than all else."""
    said = (
        facts.host and f"host: {facts.host}\r\n",
        facts.errand and f"errand: {facts.errand}\r\n",
        "" if facts.depth is None else f"depth: {facts.depth}\r\n",
        f"tries: {facts.tries}\r\n" if facts.tries else "",
        "" if facts.agreed is None else f"agreedDelay: {facts.agreed!r}\r\n",
        _each("redirectedFrom", facts.chain) if facts.chain else "",
        facts.parent and f"via: {facts.parent}\r\n",
        "" if facts.micros is None else f"fetchTimeMs: {_millis(facts.micros)}\r\n",
        "" if facts.received is None else f"payloadLength: {facts.received}\r\n",
        "" if facts.content_length is None else f"contentLength: {facts.content_length}\r\n",
        facts.content_digest and f"contentDigest: {facts.content_digest}\r\n",
        facts.verdict and f"verdict: {facts.verdict}\r\n",
        _each("reason", facts.reasons) if facts.reasons else "",
        facts.duplicate_of and f"duplicateOf: {facts.duplicate_of}\r\n",
        "" if facts.simhash is None else f"simhash: {facts.simhash:016x}\r\n",
        facts.failure and f"failure: {facts.failure}\r\n",
        facts.failure_detail and f"failureDetail: {facts.failure_detail}\r\n",
        "insecure: yes\r\n" if facts.insecure else "",
        facts.encoding and f"charset: {facts.encoding}\r\n",
        facts.lang and f"language: {facts.lang}\r\n",
        facts.title and f"title: {facts.title}\r\n",
        "".join([f"field: {name} {_quoted(value)}\r\n" for name, value in facts.fields.items()])
        if facts.fields
        else "",
        facts.rendered and _rendered_lines(facts),
        f"outlinkCount: {len(facts.links)}\r\n",
    )
    return "".join(said).encode(), _written(facts.links, facts.refused)


def _rendered_lines(facts: Facts) -> str:
    (words, links), (seconds, cost, asked, refused) = facts.added or (0, 0), facts.took or (0.0, 0.0, 0, 0)
    return (
        f"rendered: {facts.rendered}\r\nrenderedUrl: {facts.rendered_url}\r\n"
        f"renderedDigest: {facts.rendered_digest}\r\nrenderedAdded: {words} {links}\r\n"
        f"renderedTook: {seconds!r} {cost!r} {asked} {refused}\r\n"
    )


def decode(block: bytes) -> Facts:
    """Returns the facts that a metadata record says. ValueError if one can't be read."""
    said: dict[str, list[str]] = {}
    for line in block.decode().split("\r\n"):
        name, _, value = line.partition(": ")
        said.setdefault(name, []).append(value)
    first = {name: values[0] for name, values in said.items()}
    return Facts(
        host=first.get("host", ""),
        errand=first.get("errand", ""),
        depth=_number(first.get("depth")),
        tries=_number(first.get("tries")) or 0,
        chain=said.get("redirectedFrom", []),
        parent=first.get("via", ""),
        micros=_from_millis(first.get("fetchTimeMs")),
        received=_number(first.get("payloadLength")),
        content_length=_number(first.get("contentLength")),
        content_digest=first.get("contentDigest", ""),
        verdict=first.get("verdict", ""),
        reasons=said.get("reason", []),
        duplicate_of=first.get("duplicateOf", ""),
        simhash=int(first["simhash"], 16) if "simhash" in first else None,
        failure=first.get("failure", ""),
        failure_detail=first.get("failureDetail", ""),
        insecure="insecure" in first,
        encoding=first.get("charset", ""),
        lang=first.get("language", ""),
        title=first.get("title", ""),
        links=[_from_line(line) for line in said.get("outlink", [])],
        refused=dict(_refused(said.get("outlink", []))),
        agreed=float(first["agreedDelay"]) if "agreedDelay" in first else None,
        fields=dict(_field(line) for line in said.get("field", [])),
        **(_from_rendered(first) if "rendered" in first else {}),
    )


def without_links(block: bytes) -> bytes:
    """Returns a block without its links, for who has no need of them: they are longer than all else, and come last."""
    return block.partition(b"\r\noutlink: ")[0]


def _from_rendered(first: dict[str, str]) -> dict[str, Any]:
    words, links = first["renderedAdded"].split(" ")
    seconds, cost, asked, refused = first["renderedTook"].split(" ")
    return {
        "rendered": first["rendered"],
        "rendered_url": first.get("renderedUrl", ""),
        "rendered_digest": first.get("renderedDigest", ""),
        "added": (int(words), int(links)),
        "took": (float(seconds), float(cost), int(asked), int(refused)),
    }


def one_line(text: str) -> str:
    """Returns `text` as it can stand in a field: without line breaks and other control signs, and valid as UTF-8."""
    if text.isprintable():
        return text
    kept = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(kept.split())


def _quoted(value: str) -> str:
    """Returns a text on one line, as JSON has it: in a field it may have any sign."""
    return json.dumps(value)


def _field(line: str) -> tuple[str, str]:
    name, _, quoted = line.partition(" ")
    return name, str(json.loads(quoted))


def _each(name: str, values: Sequence[str]) -> str:
    return "".join([f"{name}: {value}\r\n" for value in values if value])


def _written(links: Sequence[Outlink], refused: dict[int, str]) -> bytes:
    if (table := as_table(links)) is not None:
        return table.lines(refused)
    lines = (
        f"outlink: {url} {tag} {kind} {_follow(nofollow, refused.get(place, ''))} {anchor}\r\n"
        for place, (url, tag, kind, nofollow, anchor) in enumerate(links)
    )
    return "".join(lines).encode()


def _follow(nofollow: bool, reason: str = "") -> str:
    asked = "nofollow" if nofollow else "follow"
    return f"{asked},{reason}" if reason else asked


def _outlinks(links: Sequence[Link]) -> Sequence[Outlink]:
    if (table := as_table(links)) is not None and table.is_clean():
        return links
    # Nearly all pages have none that needs cleaning, and one look at all of them together is cheap.
    urls = "".join([link[0] for link in links])
    if " " not in urls and (urls + "".join([link[4] for link in links])).isprintable():
        return links
    return [
        (one_line(url).replace(" ", "%20"), tag, kind, nofollow, one_line(anchor))
        for url, tag, kind, nofollow, anchor in links
    ]


def _from_line(line: str) -> Outlink:
    url, tag, kind, follow, anchor = line.split(" ", 4)
    return url, tag, kind, follow.partition(",")[0] == "nofollow", anchor


def _refused(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yields place and reason of the links that were not followed; a file from before this was written has none."""
    for place, line in enumerate(lines):
        reason = line.split(" ", 4)[3].partition(",")[2]
        if reason:
            yield place, reason


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _millis(micros: int) -> str:
    # Whole digits, not a float: the end of a request must be exact to the microsecond.
    return f"{'-' if micros < 0 else ''}{abs(micros) // 1000}.{abs(micros) % 1000:03d}"


def _from_millis(text: str | None) -> int | None:
    if text is None:
        return None
    whole, _, fraction = text.partition(".")
    return int(f"{whole}{fraction:0<3}")
