"""A tab of the browser of tests, driven over its pipe: what a person does with a page of ours, and what they see."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from skitter.render.cdp import Cdp, Event
from skitter.render.command import PIPES, QUIET
from skitter.render.finding import Found

CALL = 120.0
PATIENCE = 300.0
"""Seconds in which something must come about; whoever waits goes on as soon as it has."""

HEARD = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.loadEventFired"})
LONGEST = 64 * 1024**2


class Tab:
    """One tab. `faults` is all that its console was told, and every rule of its page that was broken."""

    def __init__(self, cdp: Cdp, session: str) -> None:
        self._cdp, self._session = cdp, session
        self._loaded = asyncio.Event()
        self.faults: list[str] = []

    def hear(self, event: Event) -> None:
        """Takes what the browser tells on its own."""
        match event.method:
            case "Page.loadEventFired":
                self._loaded.set()
            case "Runtime.exceptionThrown":
                self.faults.append(str(event.params["exceptionDetails"].get("exception", event.params)))
            case "Runtime.consoleAPICalled" if event.params["type"] in ("error", "warning", "assert"):
                self.faults.append(str(event.params["args"]))
            case "Log.entryAdded" if event.params["entry"]["level"] in ("error", "warning"):
                self.faults.append(f"{event.params['entry']['text']} {event.params['entry'].get('url', '')}")

    async def begin(self) -> None:
        """Returns when it can be used."""
        for domain in ("Page", "Runtime", "Log"):
            await self.call(f"{domain}.enable")

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Returns what the browser answers."""
        return await self._cdp.call(method, params, session=self._session, seconds=CALL)

    async def look(self, *, width: int = 1280, height: int = 900, scheme: str = "light", scale: float = 1) -> None:
        """Looks from now on through a window of that size, in light or dark, without motion."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        await self.call("Emulation.setDeviceMetricsOverride", **size)
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        await self.call("Emulation.setEmulatedMedia", features=features)

    async def go(self, url: str) -> None:
        """Returns when a page is there."""
        self._loaded.clear()
        moved = await self.call("Page.navigate", url=url)
        assert not moved.get("errorText"), moved
        if "loaderId" in moved:  # else it is the same page, at another place
            async with asyncio.timeout(PATIENCE):
                await self._loaded.wait()

    async def run(self, script: str) -> Any:
        """Returns what a script comes to on the page."""
        told = await self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    async def until(self, script: str, why: str = "") -> None:
        """Returns as soon as a script comes to something."""
        found = False
        try:
            async with asyncio.timeout(PATIENCE):
                while not found:
                    found = await self.run(
                        f"(() => {{ try {{ return Boolean({script}) }} catch {{ return false }} }})()"
                    )
                    if not found:
                        await asyncio.sleep(0.05)
        except TimeoutError:
            text = await self.text()
            raise AssertionError(f"{why or script} did not come about; the page says: {text[:2000]}") from None

    async def text(self) -> str:
        """Returns what there is to read."""
        return str(await self.run("document.body.innerText"))

    async def press(self, key: str, code: int) -> None:
        """Presses a key."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    async def picture(self, *, is_whole: bool = False) -> bytes:
        """Returns what is seen, as PNG."""
        told = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)
        return base64.b64decode(told["data"])


@contextlib.asynccontextmanager
async def tab_of(found: Found) -> AsyncIterator[Tab]:
    """Yields a tab of a browser of its own, which may reach this machine."""
    folder = Path(tempfile.mkdtemp(prefix="skitter-tab-"))
    command = ("setpriv", "--pdeathsig", "KILL", "/bin/sh", "-c", PIPES, "sh", found.path, *QUIET)
    flags = ("--no-sandbox", f"--user-data-dir={folder}", "about:blank")
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command, *flags, stdin=pipe, stdout=pipe, stderr=nothing, env={"PATH": "/usr/bin:/bin", **found.environment}
    )
    assert process.stdout is not None
    assert process.stdin is not None
    tabs: list[Tab] = []

    def hear(event: Event) -> None:
        for tab in tabs:
            tab.hear(event)

    cdp = Cdp(process.stdout, process.stdin, hear, heard=HEARD, longest=LONGEST)
    reading = asyncio.create_task(cdp.run())
    try:
        target = await cdp.call("Target.createTarget", {"url": "about:blank"}, seconds=CALL)
        attach = {"targetId": target["targetId"], "flatten": True}
        attached = await cdp.call("Target.attachToTarget", attach, seconds=CALL)
        tabs.append(Tab(cdp, attached["sessionId"]))
        await tabs[0].begin()
        yield tabs[0]
    finally:
        process.kill()
        await process.wait()
        await reading
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
