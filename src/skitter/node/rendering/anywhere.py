"""Browsers here and elsewhere, as one: a page goes to a worker that waits for one, else to a browser of this node."""

from __future__ import annotations

from skitter.messages import Failure
from skitter.ports import Give, Rendered, Renderer
from skitter.work.browsers import PATIENCE, Browsers


class Anywhere:
    """Fills the port `Renderer`."""

    def __init__(self, here: Renderer, elsewhere: Browsers) -> None:
        self._here, self._elsewhere = here, elsewhere

    @property
    def trouble(self) -> str:
        """Why nothing can be rendered for now; empty if it can, here or elsewhere."""
        return "" if self._elsewhere.are_there else self._here.trouble

    async def render(self, url: str, give: Give) -> Rendered | Failure:
        """Returns what the page came to."""
        is_able = not self._here.trouble
        found = await self._elsewhere.render(url, give, 0.05 if is_able else PATIENCE)
        return await self._here.render(url, give) if found is None else found

    def __repr__(self) -> str:
        return f"<Anywhere: {self._here!r} or {self._elsewhere!r}>"
