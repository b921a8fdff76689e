"""Honest pages that a hasty judge takes for errors: about 404s, short ones, empty ones, one to sign in."""

from __future__ import annotations

from functools import partial

from skitter.simweb.judged.part import Listed, Maker
from skitter.simweb.judged.prose import Prose
from skitter.simweb.judged.sheet import Sheet, listed

_ODD = {
    "http-404-not-found-explained": (
        "404 Not Found explained",
        "The status 404 means that the page was not found. A page "
        "that is not found, does not exist or was removed should be answered with 404, and never with 200.",
    ),
    "contact": ("Contact", "Write to us."),
    "thanks": ("Thank you", "Your message was sent."),
    "opening-hours": ("Opening hours", "Monday to Friday, 9 to 5."),
    "sign-in": ("Sign in", "<form method=post action=/session><input name=user><input type=password name=word></form>"),
    "find": ("Search", "<form action=/find><input name=q></form><p>Type what you look for.</p>"),
    "no-vacancies": ("Jobs", "There are no vacancies at the moment. Please come back later."),
    "sold-out": ("Concert in May", "Sold out. This event is no longer available."),
    "seite-nicht-gefunden": (
        "Seite nicht gefunden: was tun?",
        "Wer eine Seite nicht findet, sucht zuerst die Adresse ab.",
    ),
}


def odd(_name: str, prose: Prose, at: str = "/about") -> Listed:
    """Returns a dozen pages that look like errors and are none."""
    pages: dict[str, Maker] = {f"{at}/{slug}": partial(_page, prose, at, slug) for slug in _ODD}
    return Listed("odd", [(f"{at}/contact", "About us")], pages)


def _page(prose: Prose, at: str, slug: str) -> Sheet:
    title, text = _ODD[slug]
    long = prose.paragraphs(180, slug) if "404" in slug or "seite" in slug else ""
    return Sheet(title, f"<p>{text}</p>{long}" + listed([(f"{at}/{other}", other) for other in _ODD if other != slug]))
