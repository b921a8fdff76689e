"""Nobody loads what only others need: it is CPU time at each start, and memory for as long as a crawl runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from skitter.kernel import IS_NATIVE

STORES = ("rocksdict", "pyarrow", "skitter.shard.writer", "skitter.store")
PARSERS = ("skitter.parse", "skitter.tools")
SCREENS = ("rich.console", "rich.live", "typer")
SELDOM = ("difflib", "http.client", "re2", "skitter.dns.https", "zoneinfo")
OTHERS = ("skitter.simweb", "skitter.audit", "skitter.cli.why", "skitter.metrics")

# Who it is: what is run, and what must not be loaded by it.
CASES = {
    "the command line of a crawl": (
        "from skitter.cli.app import app; app('crawl')",
        (
            *STORES,
            *PARSERS,
            *OTHERS,
            "rich.console",
            "rich.live",
            "uvloop",
            "skitter.inspection.folder",
            "skitter.robots",
        ),
    ),
    "a node": (
        "import skitter.node.build",
        ("pyarrow", *SCREENS, *SELDOM, *OTHERS, "skitter.cli", "skitter.config", "skitter.inspection", "skitter.tools"),
    ),
    "a node with a kernel": ("import skitter.node.build", ("skitter.parse.reference",) if IS_NATIVE else ()),
    "the library": ("import skitter", (*STORES, *PARSERS, *SCREENS, *OTHERS, "asyncio", "msgspec")),
}


@pytest.mark.slow
@pytest.mark.parametrize(("code", "needless"), CASES.values(), ids=CASES)
def test_what_is_not_loaded(code: str, needless: tuple[str, ...]) -> None:
    told = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"], check=True, capture_output=True, text=True
    )
    loaded = told.stdout.split()
    found = [name for name in loaded if any(name == other or name.startswith(f"{other}.") for other in needless)]
    assert not found, f"{len(found)} modules that are of no use here"


@pytest.mark.slow
def test_a_node_collects_cycles_once_all_is_loaded() -> None:
    code = "import gc; gc.disable(); from skitter.node import process; process._tune_collector(); print(gc.isenabled())"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout == "True\n"
