"""A page of metrics, read back by an independent parser."""

from __future__ import annotations

import asyncio
import urllib.request

from prometheus_client.parser import text_string_to_metric_families


class Page:
    """What one scrape brought, by name and labels."""

    def __init__(self, text: str) -> None:
        self.kinds: dict[str, str] = {}
        self.numbers: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
        for family in text_string_to_metric_families(text):
            self.kinds |= {sample.name: family.type for sample in family.samples}
            for sample in family.samples:
                key = sample.name, frozenset(sample.labels.items())
                assert key not in self.numbers, f"{key} is there twice"
                self.numbers[key] = sample.value

    def __getitem__(self, name: str) -> float:
        """The sum of a metric over all its labels."""
        return sum(value for (other, _), value in self.numbers.items() if other == name)

    def of(self, name: str, **labels: str) -> float:
        """The sum of a metric over the labels that are not named."""
        wanted = frozenset(labels.items())
        return sum(value for (other, have), value in self.numbers.items() if other == name and wanted <= have)

    def counters(self) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        """All numbers that must never go down."""
        return {key: value for key, value in self.numbers.items() if self.kinds[key[0]] in ("counter", "histogram")}


async def scrape(port: int) -> Page:
    """Returns what the server on `port` shows."""
    return Page(await asyncio.to_thread(_read, f"http://127.0.0.1:{port}/metrics"))


def _read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 (it is our own)
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        return str(answer.read(), "utf-8")
