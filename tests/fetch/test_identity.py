"""Whatever we are called, the name that robots.txt knows us by and the contact are sent."""

from __future__ import annotations

import pytest

from skitter import __version__
from skitter.fetch.identity import sender, user_agent
from skitter.settings import IdentitySettings, Settings

PAGE, MAIL = "https://you.example/bot", "me@a.org"
OURS = f"Mozilla/5.0 (compatible; Skitter/{__version__}"

AGENTS = {
    "ours": ({}, f"{OURS})"),
    "ours with a contact": ({"contact": PAGE}, f"{OURS}; +{PAGE})"),
    "ours under another token": ({"contact": PAGE, "robots_token": "beetle"}, f"{OURS}; +{PAGE}) (beetle)"),
    "both are missing": ({"contact": PAGE, "user_agent": "MyBot/1.0"}, f"MyBot/1.0 (skitter; +{PAGE})"),
    "nobody to ask": ({"user_agent": "MyBot/1.0"}, "MyBot/1.0 (skitter)"),
    "the contact is missing": ({"contact": MAIL, "user_agent": "Skitter/9"}, f"Skitter/9 (+{MAIL})"),
    "the token is missing": ({"contact": MAIL, "user_agent": f"B ({MAIL})"}, f"B ({MAIL}) (skitter)"),
    "its own token": ({"robots_token": "MyBot", "user_agent": "mybot/1.0"}, "mybot/1.0"),
    "nothing is missing": ({"contact": PAGE, "user_agent": f"x (SKITTER; +{PAGE})"}, f"x (SKITTER; +{PAGE})"),
    "a part of a name": ({"robots_token": "skit", "user_agent": "Skitter/9"}, "Skitter/9 (skit)"),
    "another's address": ({"contact": MAIL, "user_agent": f"skitter so{MAIL}"}, f"skitter so{MAIL} (+{MAIL})"),
    "a longer address": ({"contact": PAGE, "user_agent": f"skitter {PAGE}2"}, f"skitter {PAGE}2 (+{PAGE})"),
}


@pytest.mark.parametrize(("identity", "agent"), AGENTS.values(), ids=AGENTS)
def test_the_agent_has_token_and_contact_each_once(identity: dict[str, str], agent: str) -> None:
    assert user_agent(Settings(identity=IdentitySettings(**identity))) == agent


@pytest.mark.parametrize(("contact", "address"), [("", ""), (MAIL, MAIL), (PAGE, ""), ("http://me@a.org/", "")])
def test_only_an_email_address_is_a_sender(contact: str, address: str) -> None:
    assert sender(Settings(identity=IdentitySettings(contact=contact))) == address
