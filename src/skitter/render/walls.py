"""The walls around a browser that the operating system builds, and those that its own flags build.

1. Every request is answered by us (`requests.py`).
2. A user, network and process namespace of its own: no network device but a loopback that nobody listens on, and the
   death of its first process is the death of all.
3. Flags: a proxy where nothing listens for all that would go out, no name resolution, no UDP for WebRTC.

The third is always there, the second where the machine allows it. Inside the namespace Chromium's own sandbox works
for root too, since nobody is root there.
"""

from __future__ import annotations

import os
import shutil
import subprocess

from msgspec import Struct

from skitter.settings import RenderSettings

NOBODY = "65534"
SPACES = (
    ("--net", "--pid", "--fork", "--kill-child", "--mount-proc"),
    ("--net", "--pid", "--fork", "--kill-child"),
    ("--net",),
)
"""What is tried, the best first: some containers forbid what others allow."""
LONGEST = 10
OUTWARD = (
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--disable-quic",
)


class Walls(Struct, frozen=True):
    """What can be had here."""

    space: tuple[str, ...] = ()  # the command that makes the namespace; empty: there is none
    is_sandboxed: bool = True

    def __str__(self) -> str:
        space = "a namespace of its own" if self.space else "no namespace"
        return f"{space}, {'a' if self.is_sandboxed else 'no'} sandbox"


def raise_walls(settings: RenderSettings) -> Walls | str:
    """Returns the walls that this machine allows, or why they are too low, in a sentence for the operator."""
    space = _space() if settings.namespace else ()
    if settings.sandbox and not space and os.geteuid() == 0:
        return (
            "as root, Chromium has its sandbox only in a user namespace, which this machine forbids (or "
            "render.namespace = false does): run as another user, or set render.sandbox = false where a container is "
            "wall enough"
        )
    return Walls(space, settings.sandbox)


def _space() -> tuple[str, ...]:
    program = shutil.which("unshare")
    for flags in SPACES if program is not None else ():
        command = (str(program), "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", *flags)
        if _runs(command):
            return command
    return ()


def _runs(command: tuple[str, ...]) -> bool:
    try:
        done = subprocess.run([*command, "true"], capture_output=True, timeout=LONGEST, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
