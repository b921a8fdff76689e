"""The way out: names, and the page that our own contact address leads to, fetched as any page is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

from skitter.dns.allowed import allowed_addresses
from skitter.dns.guard import Guard
from skitter.dns.resolver import Resolver
from skitter.doctor.finding import Finding, Level
from skitter.errors import OperatorError
from skitter.fetch.fetcher import HttpFetcher
from skitter.fetch.identity import sender, user_agent
from skitter.fetch.signing import DIRECTORY, agent_of, read_key
from skitter.messages import Errand, Failure, Fetched, Lease, header_values
from skitter.settings import MINUTE, Settings
from skitter.url.keys import host_of, name_of

EXAMPLE = "example.com"
OFF = 30.0
"""Seconds by which our clock may differ from that of the contact page's server."""
IDENTITY = "set identity.contact (--contact) to a page or an e-mail address of yours"


def of_world(settings: Settings) -> Iterator[Finding]:
    """Yields what is to say of names and of who we say we are."""
    yield from asyncio.run(_looked(settings))


async def _looked(settings: Settings) -> list[Finding]:
    contact = settings.identity.contact
    is_page = contact.startswith(("http://", "https://"))
    async with Resolver(settings.dns, time.time) as resolver:
        found = [await _names(resolver, name_of(contact) if is_page else EXAMPLE, settings)]
        if not contact:
            return [
                *found,
                Finding("contact", Level.BAD, "nobody can reach us: only this machine is crawled", IDENTITY),
            ]
        found.append(Finding("user agent", Level.GOOD, user_agent(settings)))
        if is_page:
            found += _judged(contact, await _fetched(contact, resolver, settings))
        else:
            found.append(Finding("contact", Level.GOOD, f"{contact}, as `From` of every request"))
        return [*found, *await _key(resolver, settings)] if settings.identity.key_file else found


async def _names(resolver: Resolver, name: str, settings: Settings) -> Finding:
    began = time.monotonic()
    found = await resolver.resolve(name)
    took = f"{(time.monotonic() - began) * 1e3:.0f} ms"
    if isinstance(found, Failure):
        servers = ", ".join(settings.dns.servers) or "those of /etc/resolv.conf"
        advice = f"see that name servers answer (dns.servers: {servers})"
        return Finding("names", Level.BAD, f"{name}: {found.kind.value} {found.detail} after {took}".strip(), advice)
    return Finding("names", Level.GOOD, f"{name} is at {found.addresses[0]}, known after {took}")


async def _fetched(url: str, resolver: Resolver, settings: Settings) -> Fetched | Failure:
    guard = Guard(settings.dns.allow_private, settings.dns.allow_nets)
    addresses = await allowed_addresses(name_of(url), resolver, guard)
    if isinstance(addresses, Failure):
        return addresses
    agent, by = user_agent(settings), sender(settings)
    async with HttpFetcher(
        settings.fetch, user_agent=agent, refusal=guard.refusal, clock=time.time, sender=by
    ) as fetcher:
        href = url if urlsplit(url).path else f"{url}/"
        return await fetcher.fetch(Lease(href, host_of(href), Errand.PAGE, time.time() + MINUTE), addresses)


async def _key(resolver: Resolver, settings: Settings) -> list[Finding]:
    """Returns whether the key that requests are signed with can be looked up by those who get them."""
    try:
        keyid, url = read_key(Path(settings.identity.key_file)).keyid, agent_of(settings) + DIRECTORY
    except OperatorError as error:
        return [Finding("key", Level.BAD, str(error), "`skitter page --make-key FILE` makes a key")]
    answer = await _fetched(url, resolver, settings)
    failure = answer if isinstance(answer, Failure) else answer.failure
    if failure is None and isinstance(answer, Fetched) and answer.status == 200 and keyid.encode() in answer.body:
        return [Finding("key", Level.GOOD, f"{keyid} is published at {url}")]
    said = f"{keyid} is not found at {url}: no site can check our signatures"
    return [Finding("key", Level.BAD, said, "`skitter page --out DIR` makes what is to be served there")]


def _judged(url: str, answer: Fetched | Failure) -> Iterator[Finding]:
    """Yields what is to say of the answer of our contact page."""
    failure = answer if isinstance(answer, Failure) else answer.failure
    advice = "put a page there that says who you are and how to turn you away"
    if failure is not None:
        words = f"{url} does not answer ({failure.kind.value} {failure.detail})".replace(" )", ")")
        yield Finding("contact", Level.BAD, words, advice)
        return
    assert isinstance(answer, Fetched)
    if answer.status >= 400:
        yield Finding("contact", Level.BAD, f"{url} answers {answer.status}", advice)
    else:
        yield Finding("contact", Level.GOOD, f"{url} answers {answer.status}")
    if (off := _off(answer)) is not None and abs(off) > OFF:
        words = f"{abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} that of {urlsplit(url).hostname}"
        yield Finding("clock", Level.BAD, words, "set it right, and let chrony, ntpd or systemd-timesyncd keep it")


def _off(answer: Fetched) -> float | None:
    """Returns by how much our clock is ahead of that of the server; None if it does not say."""
    dates = header_values(answer.headers, "date")
    try:
        return answer.ended - parsedate_to_datetime(dates[0]).timestamp() if dates else None
    except ValueError:
        return None
