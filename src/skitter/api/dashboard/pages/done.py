"""Before something is done: are you sure? After it: what it was, and what it is now. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from skitter.api.dashboard.frame import Frame, page
from skitter.api.dashboard.html import Html, tag
from skitter.api.dashboard.pages.log import value_in_words
from skitter.console.acts import Done


def sure_page(frame: Frame, act: str, form: Mapping[str, str]) -> str:
    """Returns the page that asks, for who has no scripts."""
    kept = [tag("input", type="hidden", name=name, value=value) for name, value in form.items()]
    about = ", ".join(value for name, value in form.items() if name != "back" and value)
    return page(
        frame,
        "Are you sure?",
        tag("p", tag("b", act.capitalize()), f": {about}"),
        tag(
            "form",
            kept,
            tag("input", type="hidden", name="sure", value="yes"),
            tag("button", "Yes, do it"),
            " ",
            tag("a", "No, go back", href=safe_way(form.get("back", "/"))),
            method="post",
            action=f"/do/{act}",
        ),
    )


def done_part(done: Done) -> Html:
    """Returns what was done."""
    was = (
        f"Before: {value_in_words(done.before)}. Now: {value_in_words(done.after)}."
        if done.before or done.after
        else ""
    )
    return tag("p", tag("b", done.what), f" {was} {done.effect}".rstrip(), class_="told well")


def wrong_part(words: str) -> Html:
    """Returns why nothing was done."""
    return tag("p", tag("b", "Nothing was done."), f" {words}", class_="told ill")


def done_page(frame: Frame, part: Html, back: str) -> str:
    """Returns the same as a page of its own."""
    return page(frame, "Done", part, tag("p", tag("a", "Go back", href=safe_way(back))))


def safe_way(text: str) -> str:
    """Returns a way that leads to a page of ours, whatever a form says."""
    return text if text.startswith("/") and not text.startswith(("//", "/\\")) else "/"


def trouble_page(frame: Frame, title: str, words: str) -> str:
    """Returns why a page can't be shown."""
    return page(frame, title, tag("p", words, class_="empty", role="alert"))
