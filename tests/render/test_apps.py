"""Single-page applications of six frameworks, and two with data behind a request: every link and text is found."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from skitter.messages import Page
from skitter.parse import html
from skitter.ports import Given, Rendered, Wanted
from skitter.settings import ParseSettings
from tests.render.conftest import Browsing
from tests.servers import apps

NAMES = ("react", "vue", "svelte", "preact", "lit", "solid", "react-data", "vue-data")
HOST = "http://apps.test"


def items(name: str) -> list[dict[str, str]]:
    return [{"href": f"/{name}/item/{number}", "text": f"Item {number} of {name}"} for number in range(20)]


class Host:
    """What a plain web server with these files would answer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.refused: list[str] = []

    async def give(self, wanted: Wanted) -> Given:
        parts = urlsplit(wanted.url)
        if parts.path == "/items.json":
            content = msgspec.json.encode(items(parse_qs(parts.query)["name"][0]))
            return Given(200, (("Content-Type", "application/json"),), content)
        path = self._folder / parts.path.strip("/")
        path = path / "index.html" if path.is_dir() else path
        if not path.exists():
            self.refused.append(wanted.url)
            return Given(404)
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        return Given(200, (("Content-Type", kind),), path.read_bytes())


@pytest.fixture(scope="module")
def host() -> Host:
    folder = apps.folder()
    if not folder.exists():
        pytest.skip("there are no single-page applications: `make servers` builds them")
    return Host(folder)


def read(body: bytes, url: str) -> Page:
    return html.read(body, url, (("Content-Type", "text/html; charset=utf-8"),), ParseSettings(), "skitter")


@pytest.mark.parametrize("name", NAMES)
def test_without_a_browser_there_is_nothing(host: Host, name: str) -> None:
    page = read((apps.folder() / name / "index.html").read_bytes(), f"{HOST}/{name}/")
    assert ([link for link in page.links if link.tag == "a"], page.text.strip()) == ([], "")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_link_and_text_is_found(browsing: Browsing, host: Host, name: str) -> None:
    url = f"{HOST}/{name}/"
    rendered = browsing.runner.run(browsing.pool.render(url, host.give))
    assert isinstance(rendered, Rendered)
    assert rendered.is_settled
    assert host.refused == []
    page = read(rendered.dom, url)
    found = {(link.url, link.anchor) for link in page.links if link.tag == "a"}
    assert found == {(f"{HOST}{item['href']}", item["text"]) for item in items(name)}
    assert all(item["text"] in page.text for item in items(name))
