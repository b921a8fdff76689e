"""The first wall: every request of a page stops here, and is answered by whoever has the page rendered, or refused.

Only documents, scripts and data are asked for. Pictures, fonts, sound and reports are refused at once; a style sheet is
an empty one, since scripts wait for it; what a preflight asks is allowed, since the answer to the request itself says
whether the page may read it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from skitter.ports import Give, Given, Wanted
from skitter.render.cdp import Cdp, Event
from skitter.render.stopwatch import Stopwatch
from skitter.settings import RenderSettings

ASKED = {"Document": "document", "Script": "script", "XHR": "fetch", "Fetch": "fetch", "Other": "other"}
"""What is asked for, by the browser's word for it and ours: it does not tell `fetch()` from XMLHttpRequest."""
FRAME = "frame"
"""Our word for the document of a frame in the page."""
DROPPED = frozenset({"connection", "content-encoding", "content-length", "keep-alive", "trailer", "transfer-encoding"})
"""Headers of an answer that speak of how it was sent: what we hand on is decoded and whole."""
EMPTY_STYLE = Given(200, (("content-type", "text/css"), ("access-control-allow-origin", "*")))
PREFLIGHT = "access-control-request-method"
"""No script can set it: what has it asks whether a request may be made."""
TOO_MANY, TOO_LARGE, NOT_HTTP, NOT_NEEDED = "too_many_requests", "too_many_bytes", "not_http", "not_needed"


class Requests:
    """The requests of one page. `start` starts a task for each; they end with the page."""

    def __init__(self, cdp: Cdp, settings: RenderSettings, give: Give, stopwatch: Stopwatch) -> None:
        self.asked = 0
        self.refused = 0
        self.main_frame = ""
        self._given = 0
        self._has_document = False
        self._cdp, self._settings, self._give, self._stopwatch = cdp, settings, give, stopwatch

    async def answer(self, event: Event) -> None:
        """Answers a request that the browser holds."""
        self.asked += 1
        kind, request = event.params.get("resourceType", "Other"), event.params["request"]
        given = await self._decide(kind, event.params.get("frameId", ""), request)
        self._given += len(given.body)
        self.refused += bool(given.refusal)
        self._has_document |= kind == "Document"
        self._tell(event, given)

    def is_answered(self, frame: str) -> bool:
        """Whether this is the page's own frame, and it was given a document: before, it is the empty one."""
        return self._has_document and frame == self.main_frame

    async def _decide(self, kind: str, frame: str, request: dict[str, Any]) -> Given:
        if (answer := ready_answer(kind, request)) is not None:
            return answer
        if self.asked > self._settings.max_requests:
            return Given(refusal=TOO_MANY)
        if self._given > self._settings.max_bytes:
            return Given(refusal=TOO_LARGE)
        word = FRAME if kind == "Document" and frame != self.main_frame else ASKED[kind]
        with self._stopwatch.stopped():
            return await self._give(wanted(word, request))

    def _tell(self, event: Event, given: Given) -> None:
        number = {"requestId": event.params["requestId"]}
        if given.refusal or not 200 <= given.status <= 599:
            # A page that may not move on stays what it is: else its place would be taken by the browser's own words.
            why = "Aborted" if event.params.get("resourceType") == "Document" else "BlockedByClient"
            self._cdp.tell("Fetch.failRequest", {**number, "errorReason": why}, session=event.session)
        else:
            self._cdp.tell("Fetch.fulfillRequest", {**number, **fulfilment(given)}, session=event.session)


def ready_answer(kind: str, request: dict[str, Any]) -> Given | None:
    """Returns the answer to what nobody is asked for, None to the rest."""
    headers = {name.lower(): value for name, value in request["headers"].items()}
    if not request["url"].startswith(("http://", "https://")):
        return Given(refusal=NOT_HTTP)
    if PREFLIGHT in headers:
        return allowed(headers)
    if kind == "Stylesheet":
        return EMPTY_STYLE
    is_ahead = "prefetch" in headers.get("sec-purpose", "")
    is_endless = headers.get("accept") == "text/event-stream"
    return Given(refusal=NOT_NEEDED) if is_ahead or is_endless or kind not in ASKED else None


def allowed(headers: Mapping[str, str]) -> Given:
    """Returns the answer to a preflight."""
    return Given(
        204,
        (
            ("access-control-allow-origin", headers.get("origin", "*")),
            ("access-control-allow-credentials", "true"),
            ("access-control-allow-methods", headers[PREFLIGHT]),
            ("access-control-allow-headers", headers.get("access-control-request-headers", "")),
        ),
    )


def wanted(kind: str, request: dict[str, Any]) -> Wanted:
    """Returns what a request is for."""
    parts = [base64.b64decode(entry.get("bytes", "")) for entry in request.get("postDataEntries", ())]
    return Wanted(
        request["url"],
        request["method"],
        kind,
        tuple(request["headers"].items()),
        b"".join(parts),
    )


def fulfilment(given: Given) -> dict[str, Any]:
    """Returns an answer as the browser takes it."""
    lines = [
        f"{name}: {value}".encode("latin-1", "replace") for name, value in given.headers if name.lower() not in DROPPED
    ]
    return {
        "responseCode": given.status,
        "binaryResponseHeaders": base64.b64encode(b"\0".join(lines)).decode("ascii"),
        "body": base64.b64encode(given.body).decode("ascii"),
    }
