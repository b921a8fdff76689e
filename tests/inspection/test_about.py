"""The page that the contact address should show: complete, harmless, plain."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from skitter.inspection.about import about_page
from skitter.settings import IdentitySettings, PolitenessSettings, Settings

FULL = IdentitySettings(
    robots_token="ExampleBot",
    contact="https://bot.example.org/about",
    operator="Example Archive",
    purpose="We keep what small museums publish.",
    addresses=("192.0.2.0/28", "2001:db8::/48"),
)


class Read(HTMLParser):
    """What a page says, and of what it is made."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_it_says_who_why_and_how_to_slow_and_stop_us() -> None:
    settings = Settings(identity=FULL, politeness=PolitenessSettings(delay=2.5, load_factor=3))
    page = Read(about_page(settings, "KEYID", "https://bot.example.org"))
    assert page.open == []
    for words in (
        "run by Example Archive",
        "small museums",
        "https://bot.example.org/about",
        "at least 2.5 seconds between two",
        "3 times as long as its last answer took",
        "User-agent: ExampleBot\nCrawl-delay: 10",
        "User-agent: ExampleBot\nDisallow: /",
        "192.0.2.0/28, 2001:db8::/48",
        "Crawl-delay up to 60 minutes",
        "KEYID",
        "https://bot.example.org/.well-known/http-message-signatures-directory",
    ):
        assert words in page.text, words


def test_it_is_plain_and_has_an_outline() -> None:
    html = about_page(Settings(identity=FULL))
    page = Read(html)
    assert '<html lang="en">' in html
    assert page.tags.count("h1") == page.tags.count("main") == page.tags.count("title") == 1
    assert not {"script", "img", "iframe", "link", "form"} & set(page.tags)
    assert page.links == ["https://bot.example.org/about"]


def test_what_is_not_known_is_not_said() -> None:
    page = Read(about_page(Settings(politeness=PolitenessSettings(load_factor=0))))
    for words in ("run by", "Why it comes", "Addresses", "Signature", "last answer took"):
        assert words not in page.text


@pytest.mark.parametrize("contact", ["me@example.org", "https://a.example/?x=<script>"])
def test_no_setting_can_write_html(contact: str) -> None:
    nasty = '<script>alert("x")</script>'
    identity = IdentitySettings(contact=contact, operator=nasty, purpose=nasty, addresses=(nasty,), user_agent=nasty)
    page = Read(about_page(Settings(identity=identity), nasty, nasty))
    assert "script" not in page.tags
    assert page.open == []
    assert page.text.count(nasty) >= 5
