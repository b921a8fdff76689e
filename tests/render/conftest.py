"""One pool of browsers for the pages of a module of tests, and pages made of a few words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from skitter.messages import Failure
from skitter.ports import Given, Rendered, Wanted
from skitter.render.pool import Pool
from tests.servers.browser import render_settings

HOME = "http://a.test/"
TYPES = {"js": "text/javascript", "json": "application/json", "css": "text/css"}


class Web:
    """A host of a few files, and what was asked of it."""

    def __init__(self, files: dict[str, str], *, hold: Callable[[Wanted], Awaitable[None]] | None = None) -> None:
        self._files = {f"{HOME}{path}": content for path, content in files.items()}
        self._hold = hold
        self.asked: list[Wanted] = []

    async def give(self, wanted: Wanted) -> Given:
        self.asked.append(wanted)
        if self._hold is not None:
            await self._hold(wanted)
        if wanted.url not in self._files:
            return Given(refusal="unknown")
        kind = TYPES.get(wanted.url.rpartition(".")[2], "text/html; charset=utf-8")
        return Given(200, (("Content-Type", kind),), self._files[wanted.url].encode("utf-8", "surrogatepass"))

    def paths(self) -> list[str]:
        return [wanted.url.removeprefix(HOME) for wanted in self.asked]


class Browsing:
    """A pool in an event loop of its own."""

    def __init__(self, pool: Pool, runner: asyncio.Runner) -> None:
        self.pool, self.runner = pool, runner

    def render(self, page: str, **files: str) -> Rendered | Failure:
        return self.of(Web({"": page, **{name.replace("_", "."): content for name, content in files.items()}}))

    def of(self, web: Web) -> Rendered | Failure:
        return self.runner.run(self.pool.render(HOME, web.give))

    def text(self, page: str, **files: str) -> str:
        rendered = self.render(page, **files)
        assert isinstance(rendered, Rendered)
        assert rendered.is_settled
        return rendered.dom.decode("utf-8")


@pytest.fixture(scope="module")
def browsing(request: pytest.FixtureRequest) -> Iterator[Browsing]:
    """A module may have SETTINGS for its browsers."""
    settings: dict[str, Any] = getattr(request.module, "SETTINGS", {})
    with asyncio.Runner() as runner:
        pool = Pool(render_settings(**settings), agent="Mozilla/5.0 (compatible; skitter)")
        runner.run(pool.__aenter__())
        yield Browsing(pool, runner)
        runner.run(pool.__aexit__(None, None, None))
