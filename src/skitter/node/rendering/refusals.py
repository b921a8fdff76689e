"""What a page in a browser is not given, whatever robots.txt says. Pure.

Only what may bring text and links is asked for: documents, scripts, data. Nothing is sent to a server that it could
take for the deed of a person: a request that is not a GET is refused, and so is whatever only counts visitors.
"""

from __future__ import annotations

from skitter.ports import Wanted

KINDS = frozenset({"document", "frame", "script", "fetch", "xhr", "other"})
METHODS = frozenset({"GET"})
COUNTERS = frozenset(
    (
        *("google-analytics.com", "googletagmanager.com", "googlesyndication.com", "googleadservices.com"),
        *("doubleclick.net", "facebook.net", "hotjar.com", "segment.com", "segment.io", "mixpanel.com"),
        *("amplitude.com", "newrelic.com", "nr-data.net", "sentry.io", "bugsnag.com", "clarity.ms", "plausible.io"),
        *("matomo.cloud", "scorecardresearch.com", "quantserve.com", "adnxs.com", "criteo.com", "criteo.net"),
        *("amazon-adsystem.com", "taboola.com", "outbrain.com", "cloudflareinsights.com", "hs-analytics.net"),
        *("optimizely.com", "fullstory.com", "mc.yandex.ru", "statcounter.com", "chartbeat.com", "onetrust.com"),
        *("cookielaw.org", "pingdom.net", "datadoghq.com", "browser-intake-datadoghq.com", "adsrvr.org"),
    )
)
"""Domains that count visitors, show them advertisements or ask them for consent: no page has its text from there."""


def refusal_of(wanted: Wanted, name: str) -> str:
    """Returns why a request to the host called `name` is refused, in a word; nothing if it is not."""
    if wanted.kind not in KINDS:
        return "not_needed"
    if wanted.method not in METHODS:
        return "method"
    return "counter" if is_counter(name) else ""


def is_counter(name: str) -> bool:
    """Whether a host is of a domain that only counts visitors."""
    labels = name.split(".")
    return any(".".join(labels[place:]) in COUNTERS for place in range(len(labels) - 1))
