"""What we call ourselves, and whom to write to about us. Whatever the operator chooses, nobody has to guess either."""

from __future__ import annotations

import re

from skitter import __version__
from skitter.settings import IdentitySettings, Settings


def user_agent(settings: Settings) -> str:
    """Returns what is sent with every request: the operator's own word or ours, and what it lacks of the two parts.

    They are the name that robots.txt knows us by and the contact: `MyBot/1.0 (skitter; +https://you.example)`.
    """
    identity = settings.identity
    agent = identity.user_agent or _usual(identity.contact)
    missing = [part for part, is_there in _parts(identity, agent) if not is_there]
    return f"{agent} ({'; '.join(missing)})" if missing else agent


def sender(settings: Settings) -> str:
    """Returns the e-mail address for the From header (RFC 9110, 10.1.2); empty if the contact is none."""
    contact = settings.identity.contact
    return "" if contact.startswith(("http://", "https://")) else contact


def _usual(contact: str) -> str:
    reach = f"; +{contact}" if contact else ""
    return f"Mozilla/5.0 (compatible; Skitter/{__version__}{reach})"


def _parts(identity: IdentitySettings, agent: str) -> list[tuple[str, bool]]:
    """Returns what must be in `agent`, each with whether it is."""
    token, contact = identity.robots_token, identity.contact
    # As whole words: `skit` is not named by `Skitter`, nor `me@a.org` by `some@a.org`.
    has_token = re.search(rf"(?<![A-Za-z_-]){re.escape(token)}(?![A-Za-z_-])", agent, re.IGNORECASE)
    has_contact = re.search(rf"(?<![^\s(<;,+:]){re.escape(contact)}(?![^\s)>;,])", agent)
    return [(token, has_token is not None), (f"+{contact}", not contact or has_contact is not None)]
