"""Files as nodes leave them: growing, torn, cut, renamed, damaged. Each page once, and none missed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from skitter.errors import MachineError
from skitter.library.bookmark import Bookmark
from skitter.library.crawl import OpenCrawl
from skitter.library.follow import Follower
from skitter.library.page import Page
from skitter.messages import Errand, Fetched, Lease, Rendering
from skitter.ports import Capture, Earlier, Snapshot
from skitter.store.bodies.memory import StoredBody
from skitter.store.warc.batch import Batch
from skitter.store.warc.places import relative_path

NAME = "skitter-20261115203512-0-00000.warc.gz"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
BEGAN = 1_794_775_551.123456


class File:
    """A WARC file in the hands of a node."""

    def __init__(self, folder: Path, name: str = NAME) -> None:
        self.path, self.open = folder / name, folder / f"{name}.open"
        self.end = 0
        self._known: dict[bytes, StoredBody] = {}
        self.open.touch()

    def batch(self, *captures: Capture) -> bytes:
        batch = Batch(self.path.name, self.end, 4, self._known.get)
        for capture in captures:
            batch.add(capture)
        self._known.update(batch.places)
        return batch.content

    def write(self, content: bytes) -> None:
        with self.open.open("r+b") as file:
            file.seek(self.end)
            file.write(content)
        self.end += len(content)

    def add(self, *urls: str) -> None:
        self.write(self.batch(*(fetch(url) for url in urls)))

    def cut(self, end: int) -> None:
        with self.open.open("r+b") as file:
            file.truncate(end)
        self.end = end

    def seal(self) -> None:
        self.open.rename(self.path)


def fetch(url: str, *, errand: Errand = Errand.PAGE, body: bytes | None = None, **more: object) -> Capture:
    body = f"<p>{url}</p>".encode() if body is None else body
    lease = Lease(url, "a", errand, BEGAN + 60, chain=("http://a/old",))
    facts = {"status": 200, "request_head": b"GET / HTTP/1.1\r\n\r\n", "response_head": HEAD, "payload": body, **more}
    return Capture(Fetched(lease, BEGAN, BEGAN + 0.25, "192.0.2.1", body=body, **facts))  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path: Path) -> File:
    return File(tmp_path)


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], list[str]]:
    follower = Follower(tmp_path, {})
    return lambda: [page.url for page in follower.fresh()]


def test_pages_come_as_the_file_grows(file: File, fresh: Callable[[], list[str]]) -> None:
    assert fresh() == []
    file.add("http://a/1", "http://a/2")
    assert fresh() == ["http://a/1", "http://a/2"]
    assert fresh() == []
    file.add("http://a/3")
    assert fresh() == ["http://a/3"]


def test_a_page_comes_when_the_last_byte_of_it_does(file: File, fresh: Callable[[], list[str]]) -> None:
    file.add("http://a/1")
    whole = file.batch(fetch("http://a/2"))
    start = file.end
    for size in range(0, len(whole), 7):
        file.end = start
        file.write(whole[:size])
        assert fresh() == ([] if size else ["http://a/1"])
    file.end = start
    file.write(whole)
    assert fresh() == ["http://a/2"]


def test_a_page_without_its_facts_does_not_come(file: File, fresh: Callable[[], list[str]]) -> None:
    """A crash took the metadata record: the page was not settled, so it is fetched again."""
    file.add("http://a/1")
    whole = file.batch(fetch("http://a/2"))
    file.write(whole[: whole.rindex(b"\x1f\x8b\x08")])
    file.seal()
    File(file.path.parent, NAME.replace("00000", "00001")).add("http://a/2", "http://a/3")
    assert fresh() == ["http://a/1", "http://a/2", "http://a/3"]


def test_sealing_between_two_looks_repeats_nothing(file: File, fresh: Callable[[], list[str]]) -> None:
    file.add("http://a/1")
    assert fresh() == ["http://a/1"]
    file.add("http://a/2")
    file.seal()
    assert fresh() == ["http://a/2"]
    assert fresh() == []


def test_a_torn_tail_that_is_cut_repeats_nothing(file: File, fresh: Callable[[], list[str]]) -> None:
    file.add("http://a/1")
    good = file.end
    file.write(file.batch(fetch("http://a/2"))[:100])
    assert fresh() == ["http://a/1"]
    file.cut(good)
    file.seal()
    assert fresh() == []


@pytest.mark.parametrize("pages", [1, 8])
@pytest.mark.parametrize("is_sealed", [True, False])
@pytest.mark.parametrize("look_while_short", [True, False])
def test_what_a_full_disk_took_back_and_what_came_instead(
    file: File, fresh: Callable[[], list[str]], look_while_short: bool, is_sealed: bool, pages: int
) -> None:
    file.add("http://a/1")
    good = file.end
    file.add("http://a/2", "http://a/3", "http://a/4")
    assert len(fresh()) == 4
    file.cut(good)
    if look_while_short:
        assert fresh() == []
    instead = [f"http://a/instead/{number}" for number in range(pages)]
    file.add(*instead)
    if is_sealed:
        file.seal()
    assert fresh() == instead
    assert fresh() == []


def test_only_answered_pages_are_pages(file: File, fresh: Callable[[], list[str]]) -> None:
    silent = fetch("http://a/2", response_head=b"", status=0, body=b"")
    robots, sitemap = fetch("http://a/robots.txt", errand=Errand.ROBOTS), fetch("http://a/s", errand=Errand.SITEMAP)
    file.write(file.batch(robots, sitemap, silent, fetch("http://a/1")))
    assert fresh() == ["http://a/1"]


def test_an_answer_is_not_told_of_by_the_facts_of_another(file: File, fresh: Callable[[], list[str]]) -> None:
    whole = file.batch(fetch("http://a/1"))
    file.write(whole[: whole.rindex(b"\x1f\x8b\x08")])
    file.write(file.batch(fetch("http://a/2", response_head=b"", status=0, body=b""), fetch("http://a/3")))
    assert fresh() == ["http://a/3"]


def test_a_known_body_comes_from_the_page_that_has_it(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.write(file.batch(fetch("http://a/1", body=b"same"), fetch("http://a/2", body=b"same")))
    one, two = Follower(tmp_path, {}).fresh()
    assert (one.is_revisit, one.body) == (False, b"same")
    assert (two.is_revisit, two.body) == (True, b"same")
    assert two.redirected_from == ["http://a/old"]


def rendered(url: str, dom: str) -> Capture:
    fetched = fetch(url, body=b"<div id=app></div>")
    return structs.replace(fetched, snapshot=Snapshot(dom.encode(), url, Rendering("text 0")))


def test_a_page_from_a_browser_comes_with_what_that_made_of_it(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.write(file.batch(rendered("http://a/1", "<title>A</title><p>made \u00fc here"), fetch("http://a/2")))
    one, two = Follower(tmp_path, {}).fresh()
    assert (one.rendered, one.body, one.text) == (True, b"<div id=app></div>", "made \u00fc here")
    assert one.html.startswith("<title>A</title>")
    assert (two.rendered, two.text) == (False, "http://a/2")


def test_such_a_page_comes_when_its_snapshot_does_and_alone_if_that_is_lost(
    file: File, fresh: Callable[[], list[str]]
) -> None:
    whole = file.batch(rendered("http://a/1", "<p>made"))
    cut = whole.rindex(b"\x1f\x8b\x08")
    file.write(whole[:cut])
    assert fresh() == []
    file.write(whole[cut:])
    assert fresh() == ["http://a/1"]
    other = file.batch(rendered("http://a/2", "<p>other"))
    file.write(other[: other.rindex(b"\x1f\x8b\x08")])  # a crash took the snapshot, and the file was cut there
    assert fresh() == []
    file.add("http://a/3")
    assert fresh() == ["http://a/2", "http://a/3"]


def test_a_known_body_whose_file_is_gone(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.write(file.batch(fetch("http://a/1", body=b"same")))
    second = file.batch(fetch("http://a/2", body=b"same"))
    file.open.unlink()
    (tmp_path / NAME.replace("-0-", "-1-")).write_bytes(second)
    (page,) = Follower(tmp_path, {}).fresh()
    assert page.status == 200
    with pytest.raises(MachineError, match="not here"):
        page.body  # noqa: B018


def test_a_page_that_has_not_changed_has_no_body(tmp_path: Path) -> None:
    file = File(tmp_path)
    unchanged = fetch("http://a/1", status=304, response_head=b"HTTP/1.1 304 Not Modified\r\n\r\n", body=b"")
    file.write(file.batch(Capture(unchanged.fetched, earlier=Earlier("http://a/1", BEGAN - 1000))))
    (page,) = Follower(tmp_path, {}).fresh()
    assert (page.status, page.is_revisit, page.body, page.text) == (304, True, b"", "")


def test_damage_is_told_with_its_place(file: File, fresh: Callable[[], list[str]]) -> None:
    file.add("http://a/1")
    good = file.end
    file.add("http://a/2")
    file.seal()
    content = bytearray(file.path.read_bytes())
    content[good + 40] ^= 0xFF
    file.path.write_bytes(content)
    with pytest.raises(MachineError, match=f"offset {good}"):
        fresh()


def pages_from(folder: Path, bookmark: Bookmark) -> list[Page]:
    return list(Follower(folder, bookmark.ends).fresh())


def test_a_bookmark_gives_the_rest(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.add("http://a/1", "http://a/2", "http://a/3")
    bookmark = Bookmark(tmp_path)
    for page in pages_from(tmp_path, bookmark)[:2]:
        bookmark.turn(page)
    assert [page.url for page in pages_from(tmp_path, bookmark)] == ["http://a/3"]
    bookmark.keep()
    assert [page.url for page in pages_from(tmp_path, Bookmark(tmp_path))] == ["http://a/3"]
    bookmark.turn_back()
    bookmark.keep()
    assert [page.url for page in pages_from(tmp_path, Bookmark(tmp_path))] == ["http://a/2", "http://a/3"]


def test_a_bookmark_that_is_damaged_is_told(tmp_path: Path) -> None:
    (tmp_path / "read.json").write_text("{")
    with pytest.raises(MachineError, match=r"read\.json"):
        Bookmark(tmp_path)


class EndingEngine:
    """A crawl that stores its last page at the very moment before it ends."""

    def __init__(self, file: File) -> None:
        self._file = file
        self.asked = 0

    @property
    def has_ended(self) -> bool:
        self.asked += 1
        self._file.add(f"http://a/{self.asked}")
        return self.asked == 3

    def raise_error(self) -> None:
        """Nothing broke."""


def test_the_last_page_before_the_end_comes(tmp_path: Path) -> None:
    (tmp_path / "warc").mkdir()
    engine: Any = EndingEngine(File(tmp_path / "warc"))
    urls = [page and page.url for page in OpenCrawl(tmp_path, engine).pages()]
    assert urls == ["http://a/1", None, "http://a/2", None, "http://a/3"]


def test_files_in_folders_by_day_and_in_none_are_followed_in_the_order_of_their_names(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.write(file.batch(fetch("http://a/1"), fetch("http://a/2")))
    later = NAME.replace("20261115", "20261116")
    place = tmp_path / relative_path(later)
    place.parent.mkdir(parents=True)
    place.with_name(later + ".open").write_bytes(file.open.read_bytes())
    follower = Follower(tmp_path, {})
    assert [page.warc_file for page in follower.fresh()] == [NAME, NAME, later, later]
    place.with_name(later + ".open").rename(place)
    assert list(follower.fresh()) == [], "each page is given once, also if its file was sealed meanwhile"
