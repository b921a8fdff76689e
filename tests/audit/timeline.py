"""Archives of crawls that never were: a virtual timeline, written by the real store; and ways to doctor them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from skitter.audit.audit import audit
from skitter.audit.report import Report
from skitter.fetch.request import request_head, target_of
from skitter.messages import Errand, Failure, Fetched, Headers, Kind, Lease
from skitter.ports import Capture, Earlier
from skitter.settings import Settings
from skitter.store.archive import Archive
from skitter.store.warc.members import gzip_member
from skitter.store.warc.reader import Reader, Record
from skitter.store.warc.records import record as record_bytes
from skitter.url.keys import host_of

BEGIN = 1_794_775_000.0
"""When the virtual timeline begins."""


class Step(Struct, frozen=True, kw_only=True):
    """One request, `at` seconds after the beginning."""

    at: float
    url: str
    status: int = 200
    headers: Headers = ()
    payload: bytes = b"<p>a page</p>"
    took: float = 0.05
    errand: Errand = Errand.PAGE
    chain: tuple[str, ...] = ()
    failure: Kind | None = None
    truncated: str | None = None
    earlier: Earlier | None = None  # what a 304 says is still the same
    agreed: float | None = None
    node: int = 0
    roll: bool = False  # the file is sealed before this
    is_sent: bool = True


def robots(at: float, url: str, text: str = "", **more: object) -> Step:
    """Returns a request for a robots.txt that has this text."""
    return msgspec.structs.replace(Step(at=at, url=url, payload=text.encode(), errand=Errand.ROBOTS), **more)


def page(at: float, url: str, **more: object) -> Step:
    """Returns a request for a page."""
    return msgspec.structs.replace(Step(at=at, url=url, payload=f"<p>{url} at {at}".encode()), **more)


def capture_of(step: Step) -> Capture:
    """Returns what is handed to the store for a step."""
    lease = Lease(step.url, host_of(step.url), step.errand, 0.0, chain=step.chain, agreed=step.agreed)
    began, ended = BEGIN + step.at, BEGIN + step.at + step.took
    failure = None if step.failure is None else Failure(step.failure)
    if not step.is_sent:
        return Capture(Fetched(lease, began, ended, failure=failure))
    sent = request_head(target_of(step.url), "Skitter", None, None)
    if not step.status:
        return Capture(Fetched(lease, began, ended, "127.0.0.1", sent, failure=failure))
    headers = [*step.headers, ("Content-Length", str(len(step.payload)))]
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    head = f"HTTP/1.1 {step.status} So\r\n{lines}\r\n".encode()
    return Capture(
        Fetched(
            lease,
            began,
            ended,
            "127.0.0.1",
            sent,
            head,
            step.payload,
            step.status,
            headers,
            step.payload,
            step.truncated,
            failure=failure,
        ),
        earlier=step.earlier,
    )


def write(directory: Path, steps: Sequence[Step], settings: Settings | None = None) -> Path:
    """Writes the steps, each node's in the order given, and returns the folder."""
    asyncio.run(_write(directory, steps, settings or Settings()))
    return directory


async def _write(directory: Path, steps: Sequence[Step], settings: Settings) -> None:
    facts = {"software": "Skitter", "configuration": msgspec.json.encode(settings).decode()}
    for node in sorted({step.node for step in steps}):
        async with Archive(directory, settings.store, node=f"n{node}", facts=facts, clock=lambda: BEGIN) as archive:
            for step in steps:
                if step.node == node:
                    if step.roll:
                        await archive.roll()
                    await archive.append(capture_of(step))


def audited(directory: Path, steps: Sequence[Step], settings: Settings | None = None) -> Report:
    """Returns the audit of an archive of these steps."""
    return audit(write(directory, steps, settings))


def the_file(directory: Path) -> Path:
    """Returns the one WARC file of an archive."""
    (path,) = (directory / "warc").rglob("skitter-*")
    return path


Change = Callable[[dict[str, str], bytes], tuple[dict[str, str], bytes] | None]


def doctor(path: Path, change: Change, *, mend: bool = True) -> None:
    """Writes a WARC file again, each record as `change` says; `mend` makes the block digests right again."""
    path.write_bytes(b"".join(_doctored(Reader(path), change, mend)))


def _doctored(records: Iterable[Record], change: Change, mend: bool) -> Iterable[bytes]:
    for one in records:
        changed = change(dict(one.fields), one.block)
        if changed is None:
            continue
        fields, block = changed
        digest = fields.pop("warc-block-digest")
        del fields["content-length"]
        raw = record_bytes(fields.items(), block)
        if not mend:
            right = f"sha256:{sha256(block).hexdigest()}".encode()
            raw = raw.replace(right, digest.encode(), 1)
        yield gzip_member(raw, 4)


def offsets(path: Path, kind: str, url: str = "") -> list[int]:
    """Returns where the records of a kind are, of one URL or of all."""
    return [
        one.offset
        for one in Reader(path, verify=False)
        if one.kind == kind and url in ("", one.fields.get("warc-target-uri"))
    ]
