"""What a page costs, as it was measured, and what things cost to buy, as they are assumed to. Pure."""

from __future__ import annotations

from msgspec import Struct


class Costs(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a page costs, in CPU seconds of one core, on a shared core of 2025; `times` is another machine's part."""

    times: float = 1.0
    base: float = 0.90e-3  # small pages of 5 KB: `make bench`, bench/RESULTS.md
    megabyte: float = 14e-3  # (3.945 - 0.925) ms for 243 KB more: the same
    judged: float = 1.38  # what judging adds to both: the same
    handshake: float = 1.33e-3  # TLS, if every page has one: the same
    undone: float = 11e-3  # a megabyte that comes compressed: (1.303 - 0.933) ms for 33 KB
    client: float = 30e-6  # Kafka's client at one commit a second
    broker: float = 59e-6
    log_bytes: float = 3_200  # of `log` and `links`, a page: 4.8 MB/s at 1,500 pages/s
    replayed: float = 55e-6  # a page of the log, at a restore
    record: float = 110  # bytes of a URL in a store: 245 MB for 10 M keys of 76 bytes, with what belongs to it
    rendering: float = 0.27  # of a page of 100 KB in a browser
    browser: float = 190e6  # bytes of memory
    rows: float = 600  # bytes of a page in tables and indexes: 488 kB for the 818 captures of `skitter demo`, no texts


class Prices(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Dollars, as list prices of a large cloud were in 2025: an assumption, to be replaced by one's own."""

    core_hour: float = 0.04
    stored_gb_month: float = 0.023
    put: float = 5e-6
    broker_gb_month: float = 0.08
    transferred_gb: float = 0.0  # into most clouds, bytes come free


def page_cost(size: float, costs: Costs) -> float:
    """Returns the CPU seconds of our processes, in a fleet, for a page of that size unpacked that needs no browser."""
    megabytes = size / 1e6
    judged = (costs.base + costs.megabyte * megabytes) * costs.judged
    return (judged + costs.handshake + costs.undone * megabytes + costs.client) * costs.times
