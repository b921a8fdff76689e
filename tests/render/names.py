"""Run inside of a namespace of its own: a browser beside a name server that it would use, and what that is asked.

`unshare --user --map-root-user --net --mount python -m tests.render.names [--no-flags]` prints a list of names as JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

from skitter.ports import Given, Rendered, Wanted
from skitter.render import command
from skitter.render.browser import launch
from skitter.render.finding import Found
from skitter.render.walls import Walls
from tests.servers.browser import browser, render_settings

HOME = "https://page.skitter.test/"
PAGE = """<!doctype html>
<link rel=dns-prefetch href=//prefetched.skitter.test><link rel=preconnect href=//connected.skitter.test>
<link rel=prefetch href=//ahead.skitter.test/x><img src=//image.skitter.test/x>
<script type=speculationrules>{"prefetch":[{"source":"list","urls":["https://rules.skitter.test/"]}]}</script>
<script>
for (const scheme of ["ws", "wss"]) try { new WebSocket(scheme + "://socket.skitter.test/") } catch {}
try { new WebTransport("https://transport.skitter.test/") } catch {}
try {
  const urls = ["stun:stun.skitter.test", "turn:turn.skitter.test?transport=tcp"];
  const peer = new RTCPeerConnection({iceServers: [{urls, username: "a", credential: "b"}]});
  peer.createDataChannel("x");
  peer.createOffer().then(offer => peer.setLocalDescription(offer));
} catch {}
fetch("//fetched.skitter.test/").catch(() => 0); navigator.sendBeacon("//beacon.skitter.test/");
setTimeout(() => document.title = "done", 2000)
</script>"""
CONTROL = "control.skitter.test"
_GET, _SET, _UP = 0x8913, 0x8914, 0x1


class NameServer(asyncio.DatagramProtocol):
    """Notes what is asked, and never answers."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def datagram_received(self, data: bytes, _: object) -> None:
        labels, at = list[str](), 12
        while at < len(data) and data[at]:
            labels.append(data[at + 1 : at + 1 + data[at]].decode("latin-1"))
            at += 1 + data[at]
        self.names.add(".".join(labels).lower())


async def asked(outward: tuple[str, ...]) -> list[str]:
    server, loop = NameServer(), asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: server, ("127.0.0.1", 53))
    tcp = await asyncio.start_server(lambda *_: server.names.add("by TCP") and None, "127.0.0.1", 53)
    with contextlib.suppress(OSError, TimeoutError):
        await asyncio.wait_for(loop.getaddrinfo(CONTROL, 80), 10)
    assert CONTROL in server.names, "the name server is not the one that programs here ask"
    server.names.clear()
    found = browser()
    assert isinstance(found, Found)

    async def give(wanted: Wanted) -> Given:
        html = (("Content-Type", "text/html"),)
        return Given(200, html, PAGE.encode()) if wanted.url == HOME else Given(refusal="no")

    with mock.patch.object(command, "OUTWARD", outward):
        one = await launch(found, Walls((), is_sandboxed=False), render_settings(), "skitter")
    try:
        rendered = await one.render(HOME, give)
        assert isinstance(rendered, Rendered), rendered
        assert b"<title>done</title>" in rendered.dom
        await asyncio.sleep(1)
    finally:
        one.kill()
        await one.end()
        tcp.close()
    return sorted(name for name in server.names if CONTROL not in name)


def main() -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        file.flush()
        subprocess.run(["mount", "--bind", file.name, str(Path("/etc/resolv.conf").resolve())], check=True)
        _raise_loopback()
        outward = () if "--no-flags" in sys.argv else command.OUTWARD
        sys.stdout.write(json.dumps(asyncio.run(asked(outward))))


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(one, _GET, request))[1]
        fcntl.ioctl(one, _SET, struct.pack("16sh14x", b"lo", flags | _UP))


if __name__ == "__main__":
    main()
