"""What sites and archives say can't steer the terminal of whoever looks at a crawl."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from skitter.cli.lines import Lines
from skitter.cli.live import LiveView
from skitter.errors import MachineError, OperatorError, harmless
from skitter.messages import State
from skitter.node.counters import Counters
from skitter.node.status import HostLine
from skitter.store.warc.records import record
from skitter.supervisor.progress import Snapshot
from tests.security.site import Asked, Said, Site, crawled, page, told

HOME, NET = "127.77.0.1", ("--allow-net", "127.77.0.0/16")
TITLE, CLEAR, C1 = "\x1b]0;owned\x07", "\x1b[2J", "\x9b31m"
EVIL = f"{TITLE}{CLEAR}{C1}\u202e\x00\x7f\r\u2028"


def home_says(asked: Asked) -> Said:
    """Returns answers with control signs wherever a site can put them."""
    hidden = EVIL.replace("\r", "").encode("latin-1", "ignore").decode("latin-1")
    match asked.path:
        case "/robots.txt":
            rules = f"User-agent: *\nDisallow: /{hidden}\nDisallow: /*forbidden{hidden}$\nDisallow: /x{C1}*\n"
            return Said(rules.encode("latin-1"), headers={"Content-Type": "text/plain"})
        case "/":
            links = ("/length", "/moved", f"/path{hidden}", "/x%9B31mforbidden", f"http://{hidden}.org/")
            return page(*links, more=f"<title>{EVIL}</title>")
        case "/length":
            return Said(b"x", headers={"Content-Length": f"{hidden}5"})
        case "/moved":
            return Said(status=301, headers={"Location": f"javascript:{hidden}", "ETag": f'"{hidden}"'})
    return Said(b"x", headers={"Content-Type": f"text/html{hidden}", "ETag": f'"{hidden}"', "Last-Modified": hidden})


@pytest.mark.slow
def test_no_command_repeats_what_steers_a_terminal(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with Site(HOME, home_says) as home:
        _, said = crawled(f"{home.root}/", *NET, out=out)
        names = ("/", "/length", "/moved", "/x%9B31mforbidden", f"/path{EVIL}", f"/{EVIL}")
        for url in (f"{home.root}{name}" for name in names):
            said += told("why", str(out), url)
            story = told("why", str(out), url, "--json")
            json.loads(story)
            said += story
    for words in (["status"], ["hosts"], ["dead", "list"], ["audit"]):
        said += told(*words, str(out)) + told(*words, str(out), "--json")
    assert "Content-Length: \\u001b]0;owned" in said  # it was said, and it was what the site had sent
    assert harmless(said) == said


def test_an_archive_of_others_does_not_steer_a_terminal(tmp_path: Path) -> None:
    """`audit` shows what it finds in a doctored archive: URLs, kinds, names of files."""
    fields = [
        ("WARC-Type", f"request{TITLE}"),
        ("WARC-Record-ID", f"<{C1}>"),
        ("WARC-Date", "2026-01-01T00:00:00Z"),
        ("WARC-Target-URI", f"http://a.org/{CLEAR}"),
    ]
    (tmp_path / "warc").mkdir()
    file = tmp_path / "warc" / f"a{C1}.warc.gz"
    file.write_bytes(b"".join(gzip.compress(record([*fields], b"GET /")) for _ in range(2)) + b"no more")
    said = told("audit", str(tmp_path)) + told("audit", str(tmp_path), "--json")
    assert "request\\u001b]0;owned" in said
    assert harmless(said) == said


@pytest.fixture
def snapshot() -> Snapshot:
    """A crawl whose busiest host, troubles and notes are hostile."""
    return Snapshot(
        at=0.0,
        seconds=1.0,
        nodes=1,
        ready=1,
        counted=Counters().counted(),
        states={state.value: 0 for state in State},
        in_flight=0,
        hosts=1,
        stages={},
        busiest=[HostLine(f"a{EVIL}.org", 1, 1.0, "rest")],
        troubles=[f"trouble {EVIL}"],
        next_at=None,
    )


def test_the_live_view_is_not_steered(snapshot: Snapshot) -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=200, height=50)
    with LiveView(console, f"title {EVIL}", None, None) as live:
        live.note(f"note {EVIL}")
        live.show(snapshot)
    said = written.getvalue()
    for word in ("title", "note", "trouble", "\\u001b]0;owned"):
        assert word in said
    for sign in (TITLE, C1, "\u202e", "\x00", "\x07", "\u2028"):
        assert sign not in said


def test_lines_in_a_log_are_not_steered(snapshot: Snapshot) -> None:
    written = io.StringIO()
    lines = Lines(written)
    lines.note(f"note {EVIL}")
    lines.show(snapshot)
    said = written.getvalue()
    assert said.count("\n") == 2
    assert harmless(said) == said


@pytest.mark.parametrize(
    "make",
    [lambda text: OperatorError(text, text, text), lambda text: MachineError(text, text, text)],
    ids=["operator's", "machine's"],
)
def test_errors_can_be_shown_as_they_are(make: Callable[[str], Exception]) -> None:
    assert harmless(str(make(EVIL))) == str(make(EVIL))


@pytest.mark.parametrize("text", ["plain", "naïve – 日本語 🦎\n", '{"a": "b"}'])
def test_what_is_harmless_is_shown_as_it_is(text: str) -> None:
    assert harmless(text) == text


def test_json_stays_the_same_json() -> None:
    text = json.dumps(EVIL, ensure_ascii=False)
    assert json.loads(harmless(text)) == EVIL
