"""A crawl goes on with the domains and the routes that it was created with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skitter import read
from skitter.audit.audit import audit
from skitter.config.load import load
from skitter.errors import MachineError, OperatorError
from skitter.folder.crawlfile import CRAWL_FILE, VERSION, read_crawl
from skitter.folder.inbox import FolderInbox
from skitter.folder.routesfile import DOMAINS_FILE, ROUTES_FILE, read_routes
from skitter.inspection.folder import Folder
from skitter.settings import Settings
from skitter.supervisor import begin as begin_module
from skitter.supervisor.begin import add_seeds, begin
from skitter.url.routes import Routes

SOURCE = Path(__file__).parent.parent.parent / "src" / "skitter"


def settings(**more: object) -> Settings:
    return load(flags={"identity.contact": "me@a.org", **more}).settings


def boxes(out: Path) -> set[int]:
    return {int(box.name) for box in (out / "inbox").iterdir()}


def test_a_new_crawl_gets_the_newest_list_and_even_routes(tmp_path: Path) -> None:
    begin(tmp_path, ["http://a.shop.co.uk/"], settings(**{"frontier.shards": 128}), 0.0)
    routes = read_routes(tmp_path)
    assert (routes.shards, routes.table[:130]) == (128, [*range(128), 0, 1])
    assert routes.domains.domain_of("x.alice.github.io") == "alice.github.io"
    assert boxes(tmp_path) == {Routes.slot_of("shop.co.uk") % 128}
    assert read_crawl(tmp_path).version == VERSION


def test_an_update_of_the_list_moves_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(begin_module, "newest_list", lambda: "// VERSION: old\norg\n")
    begin(tmp_path, ["http://a.shop.org/"], settings(), 0.0)
    kept = [(tmp_path / name).read_bytes() for name in (DOMAINS_FILE, ROUTES_FILE)]

    monkeypatch.setattr(begin_module, "newest_list", lambda: "// VERSION: new\norg\nshop.org\n")
    begin(tmp_path, ["http://b.shop.org/"], settings(), 1.0)
    add_seeds(tmp_path, ["http://c.shop.org/"], settings())
    assert [(tmp_path / name).read_bytes() for name in (DOMAINS_FILE, ROUTES_FILE)] == kept
    assert boxes(tmp_path) == {Routes.slot_of("shop.org") % 64}
    with Folder(tmp_path) as folder:
        assert folder.shard_of("d.shop.org:81") == Routes.slot_of("shop.org") % 64


def test_seeds_lost_and_written_again_leave_the_routes_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(begin_module, "newest_list", lambda: "org\n")
    begin(tmp_path, ["http://a.shop.org/"], settings(), 0.0)
    (tmp_path / "frontier" / "0001").mkdir(parents=True)
    (tmp_path / CRAWL_FILE).unlink()
    (tmp_path / "skitter.toml").unlink()
    monkeypatch.setattr(begin_module, "newest_list", lambda: "org\nshop.org\n")
    with pytest.raises(OperatorError, match=r"frontier\.shards = 8: this crawl was created with 64"):
        begin(tmp_path, ["http://a.shop.org/"], settings(**{"frontier.shards": 8}), 1.0)
    begin(tmp_path, ["http://a.shop.org/"], settings(), 1.0)
    assert read_routes(tmp_path).domains.domain_of("a.shop.org") == "shop.org"


def test_what_a_creation_that_broke_off_has_left_binds_nobody(tmp_path: Path) -> None:
    begin(tmp_path, ["http://a.org/"], settings(), 0.0)
    (tmp_path / CRAWL_FILE).unlink()  # it is written last
    begin(tmp_path, ["http://a.org/"], settings(**{"frontier.shards": 8, "scope.suffixes": ["shops.example"]}), 1.0)
    routes = read_routes(tmp_path)
    assert (routes.shards, routes.domains.suffixes) == (8, ("shops.example",))


def test_the_operators_suffixes_are_frozen_with_the_crawl(tmp_path: Path) -> None:
    begin(tmp_path, ["http://a.org/"], settings(**{"scope.suffixes": ["sim.test", "b.test"]}), 0.0)
    domains = read_routes(tmp_path).domains
    assert (domains.domain_of("x.h1.sim.test"), domains.domain_of("x.h1.own.test")) == ("h1.sim.test", "own.test")
    begin(tmp_path, [], settings(**{"scope.suffixes": ["b.test", "sim.test"]}), 1.0)  # in whatever order
    right = r"this crawl was created with \['b.test', 'sim.test'\], which can't be changed"
    for changed in ([], ["sim.test"], ["b.test", "sim.test", "c.test"]):
        with pytest.raises(OperatorError, match=r"scope\.suffixes = .*: " + right):
            begin(tmp_path, [], settings(**{"scope.suffixes": changed}), 1.0)


def test_suffixes_are_checked_with_the_other_settings() -> None:
    with pytest.raises(OperatorError, match=r"scope\.suffixes\[0\] = '127\.0\.0\.1': must be the end of names"):
        settings(**{"scope.suffixes": "127.0.0.1"})


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-5])


def change(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"1", b"2", 1))


def remove(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize("name", [DOMAINS_FILE, ROUTES_FILE])
@pytest.mark.parametrize("damage", [cut, change, remove])
def test_damage_stops_the_start_and_names_the_file(tmp_path: Path, name: str, damage: Callable[[Path], None]) -> None:
    begin(tmp_path, ["http://a.org/"], settings(), 0.0)
    damage(tmp_path / name)
    with pytest.raises(MachineError, match=rf"{name}.*Restore it from a copy"):
        begin(tmp_path, [], settings(), 1.0)
    with Folder(tmp_path) as folder, pytest.raises(MachineError, match=name):
        folder.shard_of("a.org")


def test_a_frontier_without_routes_is_never_given_new_ones(tmp_path: Path) -> None:
    (tmp_path / "frontier" / "0001").mkdir(parents=True)
    with pytest.raises(MachineError, match=r"domains\.txt can't be read"):
        begin(tmp_path, ["http://a.org/"], settings(), 0.0)


@pytest.mark.parametrize("name", [DOMAINS_FILE, ROUTES_FILE, "skitter.toml", CRAWL_FILE])
def test_a_file_that_can_not_be_written_stops_the_creation_in_words(tmp_path: Path, name: str) -> None:
    (tmp_path / name / "in the way").mkdir(parents=True)
    with pytest.raises(MachineError, match=rf"can't be (written|read): .*{name}"):
        begin(tmp_path, ["http://a.org/"], settings(), 0.0)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder as an older Skitter wrote it."""
    crawl = {"version": VERSION - 1, "created": 5.0, "seeds": ["http://a.org/"]}
    (tmp_path / CRAWL_FILE).write_text(json.dumps(crawl), encoding="utf-8")
    return tmp_path


def test_a_folder_of_an_older_layout_is_refused_in_words(old: Path) -> None:
    told = r"DIR = .*: was written by an older Skitter, whose frontier is laid out otherwise: finish it with"
    with pytest.raises(OperatorError, match=told):
        begin(old, [], settings(), 1.0)
    with pytest.raises(OperatorError, match=told):
        add_seeds(old, ["http://b.org/"], settings())
    with pytest.raises(OperatorError, match=told):
        Folder(old)
    assert sorted(file.name for file in old.iterdir()) == [CRAWL_FILE]
    assert list(FolderInbox(old).pending(range(64))) == []


def test_an_archive_beside_an_old_frontier_stays_readable(old: Path) -> None:
    (old / "warc").mkdir()
    assert list(read(old)) == []
    assert audit(old).requests == 0


def test_only_who_creates_a_crawl_reads_the_librarys_list() -> None:
    """And the simulated web, which has no crawl."""
    readers: dict[str, set[str]] = {"publicsuffixlist": set(), "skitter.config.suffixes": set()}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for name in readers:
            if name in text:
                readers[name].add(str(path.relative_to(SOURCE)))
    assert readers == {
        "publicsuffixlist": {"config/suffixes.py"},
        "skitter.config.suffixes": {"supervisor/begin.py", "fleet/making.py", "simweb/truth.py"},
    }
