"""A crawl's folder that someone else has prepared is data: nothing in it is run, whatever it looks like."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from rocksdict import Rdict

from skitter.config.load import load
from skitter.errors import MachineError
from skitter.folder import inbox
from skitter.folder.inbox import FolderInbox
from skitter.inspection.folder import Folder
from skitter.ports import Pause
from skitter.settings import Settings
from skitter.shard import keys
from skitter.shard.rocks import open_read_only, shard_path
from skitter.supervisor import begin as crawl
from skitter.url.keys import fingerprint
from tests.frontiers import opened_frontier
from tests.security.site import told

SETTINGS = load(flags={"identity.contact": "me@a.org", "frontier.shards": 1}).settings
KEYS = [keys.COUNTS, keys.META, keys.url_key(fingerprint("http://a.org")), keys.host_key("a.org"), b"\x00", b"c", b"m"]


class Bait:
    """Runs code when it is unpickled: it makes a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return Path.touch, (self._file,)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A crawl that has just begun."""
    (tmp_path / "out").mkdir()
    crawl.begin(tmp_path / "out", ["http://a.org/"], SETTINGS, 0.0)
    return tmp_path / "out"


def baited(path: Path, file: Path) -> None:
    """Makes a store as rocksdict does unless told otherwise: what it holds is unpickled when it is read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    store = Rdict(str(path))
    for key in KEYS:
        store[key] = Bait(file)
    store.close()


def test_the_bait_works(tmp_path: Path) -> None:
    """Else the tests below would show nothing."""
    baited(tmp_path / "store", tmp_path / "ran")
    store = Rdict(str(tmp_path / "store"))
    store[KEYS[0]]
    store.close()
    assert (tmp_path / "ran").exists()


def look(out: Path) -> None:
    store = open_read_only(shard_path(out, 0))
    found = [value for _, value in store.iterate(b"")]
    store.close()
    assert found
    assert all(isinstance(value, bytes) for value in found)


def ask(out: Path) -> None:
    for words in (["status"], ["hosts"], ["dead", "list"]):
        with suppress(Exception):  # that it can't be read is not what is shown here
            told(*words, str(out))
    with suppress(Exception), Folder(out) as folder:
        shard = folder.shard(0)
        assert shard is not None
        shard.url(b"0123456789abcdef")


def go_on(out: Path) -> None:
    with suppress(Exception):
        opened_frontier(out, SETTINGS, range(1), lambda: 0.0).close()


@pytest.mark.parametrize("deed", [look, ask, go_on])
def test_a_store_of_pickled_values_is_not_unpickled(deed: Callable[[Path], None], out: Path, tmp_path: Path) -> None:
    """Neither by the commands that look, nor by a crawl that goes on."""
    baited(shard_path(out, 0), tmp_path / "ran")
    deed(out)
    assert not (tmp_path / "ran").exists()


WISHES = [b"", b"not JSON", b'{"do": "run", "what": "ls"}', b'{"do": "pause"}', b"[" * 100_000]


@pytest.mark.parametrize("content", WISHES, ids=["empty", "not JSON", "unknown", "half", "endless"])
def test_an_instruction_that_is_none_is_named(content: bytes, out: Path) -> None:
    """What others put into the inbox stops a node with the name of the file, and does nothing else."""
    inbox.post(out, 0, Pause("a.org"))
    (file,) = (path for path in (out / "inbox" / "0000").iterdir() if b"pause" in path.read_bytes())
    file.write_bytes(content)
    with pytest.raises(MachineError) as error:
        list(FolderInbox(out).pending([0]))
    assert str(file) in str(error.value)


def test_settings_of_others_are_checked_as_our_own_are(out: Path) -> None:
    """A folder's settings can't say more than an operator can, and are shown by `skitter config`."""
    (out / "skitter.toml").write_text('[fetch]\ncommand = "ls"\n')
    assert "fetch.command" in told("status", str(out))
    (out / "skitter.toml").write_text("[dns]\nallow_private = true\n")
    assert "allow_private = true" in told("config", "--config", str(out / "skitter.toml"))
    assert Settings().dns.allow_private is False
