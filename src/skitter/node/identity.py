"""What we call ourselves."""

from __future__ import annotations

from skitter import __version__
from skitter.settings import Settings


def user_agent(settings: Settings) -> str:
    """Returns what is sent with every request: the operator's own word, or our name and how to reach the operator."""
    if settings.identity.user_agent:
        return settings.identity.user_agent
    contact = f"; +{settings.identity.contact}" if settings.identity.contact else ""
    return f"Mozilla/5.0 (compatible; Skitter/{__version__}{contact})"
