"""Templates of different make that sites put around what they say: new and old, with much around the text or little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple, TypeAlias

from skitter.simweb.judged.sheet import Sheet, link, listed


class Frame(NamedTuple):
    """What all pages of a site have in common."""

    name: str
    slogan: str
    menu: Sequence[tuple[str, str]]
    notice: str  # of cookies or of rights, some forty words
    aside: str  # words beside every page


Dress: TypeAlias = Callable[[Frame, Sheet], str]


def _modern(frame: Frame, sheet: Sheet) -> str:
    crumbs = " › ".join(link(*crumb) for crumb in sheet.crumbs)
    return (
        f"{_head(frame, sheet)}<body><a href='#main'>Skip to content</a><header><p>{frame.slogan}</p>"
        f"<nav>{listed(frame.menu)}</nav></header><nav class='breadcrumb'>{crumbs}</nav>"
        f"<main id='main'><article><h1>{escape(sheet.title)}</h1>\n{sheet.html}</article></main>"
        f"<aside><h2>About</h2><p>{frame.aside}</p></aside>"
        f"<footer><p>© 2026 {frame.name}. {frame.notice}</p></footer></body></html>\n"
    )


def _boxes(frame: Frame, sheet: Sheet) -> str:
    crumbs = " / ".join(link(*crumb) for crumb in sheet.crumbs)
    menu = "".join(f"<div class='menu-item'>{link(*one)}</div>" for one in frame.menu)
    return (
        f"{_head(frame, sheet)}<body class='page'><div id='cookie-banner'>{frame.notice}</div><div class='wrap'>"
        f"<div class='top'><div class='logo'>{link('/', frame.name)}</div>{menu}</div><div class='path'>{crumbs}</div>"
        f"<div class='row'><div class='col-9 content'><h2>{escape(sheet.title)}</h2>\n{sheet.html}</div>"
        f"<div class='col-3 sidebar'><b>{frame.slogan}</b><p>{frame.aside}</p></div></div>"
        f"<div class='bottom'>{menu}<small>{frame.notice}</small></div></div></body></html>\n"
    )


def _tables(frame: Frame, sheet: Sheet) -> str:
    crumbs = " &gt; ".join(link(*crumb) for crumb in sheet.crumbs)
    menu = "<br>".join(link(*one) for one in frame.menu)
    return (
        f"<HTML><HEAD><TITLE>{escape(sheet.title)}</TITLE>{sheet.head}</HEAD><BODY BGCOLOR=white>"
        f"<TABLE WIDTH=100%><TR><TD COLSPAN=2><FONT SIZE=5>{frame.name}</FONT> {frame.slogan}</TD></TR>"
        f"<TR><TD VALIGN=top WIDTH=160>{menu}<HR>{frame.aside}</TD><TD>{crumbs}<H1>{escape(sheet.title)}</H1>"
        f"{sheet.html}</TD></TR></TABLE><HR><ADDRESS>{frame.notice}</ADDRESS></BODY></HTML>\n"
    )


def _plain(frame: Frame, sheet: Sheet) -> str:
    ways = " | ".join(link(*one) for one in [*frame.menu, *sheet.crumbs])
    return f"{_head(frame, sheet)}<body><h1>{escape(sheet.title)}</h1>\n{sheet.html}<hr>{ways}</body></html>\n"


def _head(frame: Frame, sheet: Sheet) -> str:
    return (
        f"<!DOCTYPE html>\n<html lang='{sheet.lang}'><head><meta charset='utf-8'>"
        f"<title>{escape(sheet.title)} - {frame.name}</title>{sheet.head}</head>\n"
    )


DRESSES: dict[str, Dress] = {"modern": _modern, "boxes": _boxes, "tables": _tables, "plain": _plain}
