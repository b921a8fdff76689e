"""The page that our contact address should show: who we are, why we come, and how to slow or stop us. Pure.

It is for people who found us in their log and have no time: plain HTML, no script, nothing from elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from skitter.fetch.identity import user_agent
from skitter.fetch.signing import DIRECTORY
from skitter.settings import Settings

STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:1.05rem/1.6 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem}"
    "h1,h2{line-height:1.25}pre{padding:.75rem 1rem;border:1px solid;overflow-x:auto}"
    "code,pre{font-family:ui-monospace,monospace}dt{font-weight:600}dd{margin:0 0 .75rem}"
)


def about_page(settings: Settings, keyid: str = "", agent: str = "") -> str:
    """Returns the page as HTML. With `keyid`, requests are signed by that key, which is published below `agent`."""
    name = escape(settings.identity.robots_token)
    body = "\n".join([*_who(settings), *_how(settings), *_robots(settings), *_proof(settings, keyid, agent)])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}: a web crawler</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _who(settings: Settings) -> Iterator[str]:
    identity = settings.identity
    yield f"<h1>{escape(identity.robots_token)}: a web crawler</h1>"
    operator = f" It is run by {escape(identity.operator)}." if identity.operator else ""
    yield f"<p>You are here because <strong>{escape(identity.robots_token)}</strong> has visited a site.{operator}</p>"
    if identity.purpose:
        yield f"<h2>Why it comes</h2>\n<p>{escape(identity.purpose)}</p>"
    yield "<h2>How to reach us</h2>"
    yield f"<p>{_reach(identity.contact)} Say which site it is about; we slow down or stay away at once.</p>"


def _reach(contact: str) -> str:
    if not contact:
        return "No contact is configured."
    href = contact if contact.startswith(("http://", "https://")) else f"mailto:{contact}"
    return f'<a href="{escape(href)}">{escape(contact)}</a>.'


def _how(settings: Settings) -> Iterator[str]:
    politeness = settings.politeness
    yield "<h2>How it behaves</h2>\n<ul>"
    yield f"<li>One request at a time to a host, and at least {_seconds(politeness.delay)} between two.</li>"
    if politeness.load_factor:
        times = f"{politeness.load_factor:g} times"
        yield f"<li>A host that is slow is left alone for longer: for {times} as long as its last answer took.</li>"
    yield "<li>After 429 or 503 the time between two requests doubles, and <code>Retry-After</code> is heeded.</li>"
    longest = _seconds(settings.robots.max_crawl_delay)
    yield f"<li>robots.txt is obeyed (RFC 9309), with <code>Crawl-delay</code> up to {longest}.</li>"
    yield "<li><code>noindex</code>, <code>nofollow</code> are heeded, in pages and as <code>X-Robots-Tag</code></li>"
    yield "</ul>"


def _robots(settings: Settings) -> Iterator[str]:
    token = escape(settings.identity.robots_token)
    yield "<h2>How to slow it down</h2>\n<p>In the <code>robots.txt</code> of your site:</p>"
    yield f"<pre>User-agent: {token}\nCrawl-delay: 10</pre>"
    yield "<h2>How to stop it</h2>"
    yield f"<pre>User-agent: {token}\nDisallow: /</pre>"
    yield "<p>It is read again within a day. For less than the whole site, name the paths that are not to be read.</p>"


def _proof(settings: Settings, keyid: str, agent: str) -> Iterator[str]:
    identity = settings.identity
    yield "<h2>How to know that it is us</h2>\n<dl>"
    yield f"<dt>User-Agent</dt><dd><code>{escape(user_agent(settings))}</code></dd>"
    yield f"<dt>Name in robots.txt</dt><dd><code>{escape(identity.robots_token)}</code></dd>"
    if identity.addresses:
        listed = ", ".join(f"<code>{escape(one)}</code>" for one in identity.addresses)
        yield f"<dt>Addresses it comes from</dt><dd>{listed}</dd>"
    if keyid:
        where = escape(f"{agent}{DIRECTORY}")
        yield (
            "<dt>Signature</dt><dd>Every request is signed (Web Bot Auth, RFC 9421, Ed25519) with the key "
            f'<code>{escape(keyid)}</code>, published at <a href="{where}">{where}</a>.</dd>'
        )
    yield "</dl>"


def _seconds(span: float) -> str:
    if span >= 60 and math.isclose(span % 60, 0):
        return "1 minute" if span == 60 else f"{span / 60:g} minutes"
    return "1 second" if span == 1 else f"{span:g} seconds"
