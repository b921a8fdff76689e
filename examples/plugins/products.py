"""Product data out of shop pages, as fields of the text table: `product.name`, `product.price`, `product.currency`.

    [plugins]
    use = ["products:Products"]

It reads what shops write for search engines: JSON-LD of schema.org, the first product of a page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from skitter import Remark, SeenPage

_SCRIPT = re.compile(r"<script[^>]*application/ld\+json[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)


class Products:
    """Adds fields to pages that describe a product."""

    def filter_page(self, page: SeenPage) -> Remark | None:
        """Returns the first product of a page."""
        if "ld+json" not in page.html:
            return None
        for written in _SCRIPT.findall(page.html):
            for thing in things(written):
                if thing.get("@type") == "Product":
                    return Remark(fields=dict(fields(thing)))
        return None


def things(written: str) -> Iterator[dict[str, Any]]:
    """Yields the objects of a script, those in a list or a graph too. What is no JSON has none."""
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        return
    for thing in found if isinstance(found, list) else [found]:
        if isinstance(thing, dict):
            yield thing
            yield from (one for one in thing.get("@graph", ()) if isinstance(one, dict))


def fields(product: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields what is said of a product."""
    offers = product.get("offers") or {}
    offer = offers[0] if isinstance(offers, list) and offers else offers
    said = {"name": product.get("name"), "sku": product.get("sku")}
    if isinstance(offer, dict):
        said |= {"price": offer.get("price"), "currency": offer.get("priceCurrency")}
    for name, value in said.items():
        if isinstance(value, str | int | float):
            yield f"product.{name}", str(value)[:1000]
