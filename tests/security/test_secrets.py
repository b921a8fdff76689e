"""Passwords that an operator typed are dropped at once, and what sites give us to carry is not carried back."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from skitter.errors import OperatorError, masked
from skitter.inspection.folder import Folder
from skitter.settings import Settings
from skitter.store.warc.reader import Reader
from skitter.supervisor.begin import canonical_seeds
from tests.security.site import Asked, Said, Site, crawled, page, redirect, told

HOME, NET = "127.77.0.1", ("--allow-net", "127.77.0.0/16")
USER, PASSWORD = "somebody", "hunter2-and-more"
KEYS = [bytes([first]) for first in range(255)]
GIVEN_BACK = {"cookie", "authorization", "proxy-authorization", "referer", "cookie2"}


def home_says(asked: Asked) -> Said:
    """Returns what a site says that sets cookies and wants a password."""
    cookies = {"Set-Cookie": "session=tasty; Path=/; HttpOnly", "Content-Type": "text/html"}
    match asked.path:
        case "/robots.txt":
            return redirect(f"http://the:site@{asked.headers['Host']}/next")
        case "/":
            return Said(page("/next", "/members", "/moved").body, headers=cookies)
        case "/members":
            return Said(status=401, headers={"WWW-Authenticate": 'Basic realm="members"', **cookies})
        case "/moved":
            return Said(status=302, headers={"Location": f"http://{asked.headers['Host']}/next", **cookies})
    return Said(page().body, headers=cookies) if asked.path == "/next" else Said(status=404, headers=cookies)


def contents(out: Path) -> Iterator[tuple[str, bytes]]:
    """Yields all that a crawl's folder holds, unpacked, each with where it is."""
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        raw = path.read_bytes()
        yield str(path), raw
        if path.name.endswith(".gz"):
            yield f"{path}, unpacked", gzip.decompress(raw)
        if path.name.endswith(".parquet"):
            yield f"{path}, as rows", repr(pq.read_table(path).to_pylist()).encode()
    with Folder(out) as folder:
        for shard in folder.shards():
            yield f"shard {shard.number}", b"".join(key + raw for one in KEYS for key, raw in shard.iterate(one))


@pytest.mark.slow
def test_a_password_in_a_seed_is_kept_nowhere(tmp_path: Path) -> None:
    """Not in the frontier, the archive, its indexes, the logs, nor in anything that any command says."""
    out = tmp_path / "out"
    with Site(HOME, home_says) as home:
        seed = f"http://{USER}:{PASSWORD}@{home.authority}/"
        _, said = crawled(seed, *NET, "--metrics-port", "0", out=out)
        said += told("seeds", "add", str(out), f"http://{USER}:{PASSWORD}@{home.authority}/next?x")
    kept = dict(contents(out))
    assert sum(home.root.encode() in content for content in kept.values()) >= 5  # we did look into them
    assert not [where for where, content in kept.items() if PASSWORD.encode() in content or USER.encode() in content]
    for words in (("status",), ("hosts",), ("why", seed), ("dead", "list"), ("audit",)):
        command, *rest = words
        where = [command, *rest[:1], str(out)] if command == "dead" else [command, str(out), *rest]
        said += told(*where) + told(*where, "--json")
    assert home.authority in said
    assert PASSWORD not in said


@pytest.mark.slow
def test_nothing_is_carried_back(tmp_path: Path) -> None:
    """No cookie, no user or password (from a seed, a challenge or ~/.netrc), no page that we came from."""
    netrc = tmp_path / ".netrc"
    netrc.write_text(f"machine {HOME} login {USER} password {PASSWORD}\n")
    netrc.chmod(0o600)
    with Site(HOME, home_says) as home:
        seed = f"http://{USER}:{PASSWORD}@{home.authority}/"
        crawled(seed, *NET, out=tmp_path / "out", env={"HOME": str(tmp_path), "NETRC": str(netrc)})
    assert {"/", "/next", "/members", "/moved", "/robots.txt"} <= home.paths()
    for asked in home.requests:
        assert not {name.lower() for name in asked.headers} & GIVEN_BACK, asked.path
        assert PASSWORD not in str(asked.headers)
    # The site's own redirect is archived as it came, but the URL that was asked for is named without the password.
    records = [record for path in (tmp_path / "out" / "warc").rglob("*.gz") for record in Reader(path)]
    assert len(records) > 10
    assert not [record for record in records if "@" in record.fields.get("warc-target-uri", "")]


@pytest.mark.parametrize(
    "text",
    [
        f"ftp://{USER}:{PASSWORD}@example.org/",
        f"{USER}:{PASSWORD}@exa mple.org/",
        f"http://{USER}:{PASSWORD}@exa mple.org/",
        f"http://{USER}:{PASSWORD}@x@exa mple.org/",
        f"HTTP:\\\\{USER}:{PASSWORD}@exa mple.org/",
        f"http:{USER}:{PASSWORD}@exa mple.org/",
    ],
)
def test_an_error_about_a_seed_does_not_repeat_its_password(text: str) -> None:
    with pytest.raises(OperatorError) as error:
        canonical_seeds([text], Settings())
    assert PASSWORD not in str(error.value)
    assert "mple.org" in str(error.value)


@pytest.mark.parametrize("text", ["me@example.org", "https://example.org/a:b@c", "http://[::1]:8080/", "a:b"])
def test_what_is_no_password_is_shown(text: str) -> None:
    assert masked(text) == text
