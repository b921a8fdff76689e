"""The command line of a browser. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from skitter.render.walls import OUTWARD, Walls
from skitter.settings import RenderSettings

QUIET = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-notifications",
    "--disable-remote-fonts",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--hide-scrollbars",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--disable-features=AcceptCHFrame,AutofillServerCommunication,CertificateTransparencyComponentUpdater,"
    "DialMediaRouteProvider,MediaRouter,OptimizationHints,Prerender2,SpeculationRulesPrefetchFuture,Translate",
)
PIPES = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null'
"""A shell that gives our pipes the numbers that the browser wants."""


def command(path: str, walls: Walls, settings: RenderSettings, *, agent: str, folder: str) -> list[str]:
    """Returns what to run, with the commands on its standard input and the answers on its standard output."""
    heap = settings.max_memory // 3 // 1024**2  # the rest is for buffers, the document and the browser's own
    return [
        *_mortal(settings),
        *walls.space,
        *("/bin/sh", "-c", PIPES, "sh", path),
        *QUIET,
        *OUTWARD,
        *(() if walls.is_sandboxed else ("--no-sandbox",)),
        f"--js-flags=--jitless --max-old-space-size={heap}",
        f"--user-agent={agent}",
        f"--user-data-dir={folder}",
        "about:blank",
    ]


def _mortal(settings: RenderSettings) -> Sequence[str]:
    """A command that dies when we do, and each of whose processes may have so much memory: buffers heed no flag."""
    return ("setpriv", "--pdeathsig", "KILL", "prlimit", f"--data={settings.max_memory}", "--core=0")
