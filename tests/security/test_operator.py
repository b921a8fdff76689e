"""An operator's mistake ends with a sentence before anything is sent, and never with more than was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from skitter.config.load import load
from skitter.dns.guard import Guard
from skitter.errors import OperatorError
from skitter.settings import Settings
from skitter.supervisor.begin import begin
from tests.security.site import Site, crawled, from_table, page

MISTAKES = {
    "a header of its own": ({"identity.user_agent": "a\r\nCookie: b"}, "identity.user_agent"),
    "a name that can't be sent": ({"identity.user_agent": "日本"}, "identity.user_agent"),
    "a contact that can't be sent": ({"identity.contact": "me@日本.jp"}, "identity.contact"),
    "a contact with a control sign": ({"identity.contact": "me\x1b@a.org"}, "identity.contact"),
    "such a contact beside a good name": (
        {"identity.contact": "me@日本.jp", "identity.user_agent": "MyBot/1.0"},
        "identity.contact",
    ),
    "a name server that is a name": ({"dns.servers": ("dns.example.org",)}, "dns.servers"),
    "a network that is none": ({"dns.allow_nets": ("127.0.0.1/8",)}, "dns.allow_nets"),
    "a hosts file that can't be": ({"dns.hosts_file": "a\0b"}, "dns.hosts_file"),
}


@pytest.mark.parametrize(("flags", "key"), MISTAKES.values(), ids=MISTAKES)
def test_what_can_not_be_used_is_named_before_a_crawl_begins(
    flags: dict[str, object], key: str, tmp_path: Path
) -> None:
    settings = load(flags={"identity.contact": "me@a.org", **flags}).settings
    with pytest.raises(OperatorError) as error:
        begin(tmp_path, ["http://a.org/"], settings, 0.0)
    assert error.value.key == key
    assert not list(tmp_path.iterdir())  # nothing was written that the next start would take up


def test_a_name_of_ones_own_does_not_hide_who_is_asking(tmp_path: Path) -> None:
    """Whatever --user-agent says, every request, also for robots.txt, says how to reach the operator."""
    with Site("127.2.0.1", from_table({"/": page("/a"), "/a": page()})) as site:
        words = ("--allow-net", "127.2.0.1/32", "--contact", "me@a.org", "--user-agent", "MyBot/1.0")
        crawled(f"{site.root}/", *words, out=tmp_path / "out")
    assert {"/robots.txt", "/", "/a"} <= site.paths()
    assert {asked.headers["User-Agent"] for asked in site.requests} == {"MyBot/1.0 (skitter; +me@a.org)"}
    assert {asked.headers["From"] for asked in site.requests} == {"me@a.org"}


def test_nothing_is_open_unless_it_is_asked_for() -> None:
    """By default: no reserved address, no bad certificate, no crawl of strangers without a name."""
    settings = Settings()
    assert not settings.dns.allow_private
    assert not settings.dns.allow_nets
    assert not settings.fetch.insecure
    assert not settings.identity.contact
    assert Guard(True, ("0.0.0.0/0",), only_loopback=True).refusal("8.8.8.8") is not None
