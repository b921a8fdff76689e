"""An answer as a node gets it, for the programs that are killed while they store some."""

from __future__ import annotations

import time

from skitter.messages import Errand, Fetched, Lease


def answered(url: str, host: str, body: bytes) -> Fetched:
    return Fetched(
        lease=Lease(href=url, host=host, errand=Errand.PAGE, ends=0.0),
        began=time.time(),
        ended=time.time(),
        request_head=b"GET / HTTP/1.1\r\n\r\n",
        response_head=b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body),
        payload=body,
        status=200,
        body=body,
    )
