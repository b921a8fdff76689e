"""From what the survey found to the rows that are published, shard by shard. Pure.

What need not be thought about stays in Arrow's columns: only worth and reasons are found row by row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import compute

from skitter.rank.survey.paths import Compared
from skitter.rank.survey.plain import Surveyed
from skitter.rank.worth import Signals, earned_by, reasons_of, worth_of
from skitter.url.routes import Routes

DOMAIN, HOST = "domain", "host"
SHARES = {"duplicates": "pages", "soft_404": "pages", "thin": "pages", "errors": "urls", "changed": "again"}
"""What is counted, and what it is a share of."""


class Ratings:
    """The rows of one nightly look."""

    def __init__(
        self, found: Surveyed, routes: Routes, seeds: Collection[str], compared: Mapping[str, Compared]
    ) -> None:
        self._compared = compared
        self._domains, self._hosts = found.domains, found.hosts
        names = found.domains["name"].to_pylist()
        slots = map(routes.slot_of, names)
        shards = pa.array([routes.table[slot] for slot in slots], pa.uint16())
        self._shards = {DOMAIN: shards, HOST: shards.take(found.hosts["domain"].combine_chunks())}
        self._seeds = {DOMAIN: pa.array(set(map(routes.domains.domain_of, seeds)), pa.large_string())}
        self._seeds[HOST] = pa.array(set(seeds), pa.large_string())

    def by_shard(self) -> Iterator[dict[str, Any]]:
        """Yields the columns of each shard that has any rows, in order: its domains, then its hosts."""
        places = {kind: _places(shards) for kind, shards in self._shards.items()}
        for shard, domains in places[DOMAIN].items():
            earned: dict[int, float] = {}
            yield self._rated(DOMAIN, shard, self._domains.take(domains), earned)
            yield self._rated(HOST, shard, self._hosts.take(places[HOST][shard]), earned)

    def _rated(self, kind: str, shard: int, found: pa.Table, earned: dict[int, float]) -> dict[str, Any]:
        """Returns the columns of one kind in one shard. What a domain has earned is noted, for its hosts."""
        numbers = found["domain"]
        told = {name: found[name].combine_chunks() for name in found.column_names}
        told |= {share: _share(found[share], found[of]) for share, of in SHARES.items()}
        told |= {name: self._domains[name].take(numbers) for name in ("pagerank", "trust")}
        told["is_mirror"] = compute.is_valid(found["mirror_of"])
        told["is_seed"] = compute.is_in(found["name"], self._seeds[kind])
        signals = self._signals(told)
        domains = numbers.to_pylist()
        if kind == DOMAIN:
            earned |= zip(domains, map(earned_by, signals), strict=True)
            worth = [worth_of(one) for one in signals]
        else:
            worth = [worth_of(one, earned[domain]) for one, domain in zip(signals, domains, strict=True)]
            told |= {name: found[name] for name in ("pagerank", "trust")}  # the domain's: not said again of each host
        source = self._domains if kind == DOMAIN else self._hosts
        return (
            told
            | self._paths(kind, found["name"])
            | {
                "shard": [shard] * len(worth),
                "kind": [kind] * len(worth),
                "domain": self._domains["name"].take(numbers),
                "mirror_of": source["name"].take(found["mirror_of"]),
                "worth": worth,
                "reasons": [reasons_of(one) for one in signals],
            }
        )

    def _paths(self, kind: str, names: pa.ChunkedArray) -> dict[str, Any]:
        """Returns what the paths of mirrors say for them; domains are no mirrors path by path."""
        compared = self._compared if kind == HOST else {}
        rows = [compared.get(name) for name in names.to_pylist()] if compared else [None] * len(names)
        return {
            "mirrored_at": [None if one is None else one.origin or None for one in rows],
            "same_paths": [None if one is None else one.agreed for one in rows],
            "other_paths": [None if one is None else one.differed for one in rows],
        }

    def _signals(self, told: dict[str, Any]) -> list[Signals]:
        many = float(self._domains.num_rows)
        as_asked = dict(told)
        as_asked |= {name: compute.multiply(told[name], many) for name in ("pagerank", "trust")}
        as_asked |= {share: compute.fill_null(told[share], 0.0) for share in SHARES}
        return [
            Signals._make(row) for row in zip(*(as_asked[name].to_pylist() for name in Signals._fields), strict=True)
        ]


def _places(shards: pa.Array) -> dict[int, pa.Array]:
    """Returns the places of the rows of each shard, in the order of the shards."""
    order = compute.sort_indices(shards)
    counts = {row["values"]: row["counts"] for row in compute.value_counts(shards).to_pylist()}
    found, at = {}, 0
    for shard in sorted(counts):
        found[shard] = order.slice(at, counts[shard])
        at += counts[shard]
    return found


def _share(some: pa.Array, of: pa.Array) -> pa.Array:
    """Returns what some are of all, null where there are none."""
    all_of = compute.if_else(compute.equal(of, 0), pa.scalar(None, pa.uint32()), of)
    return compute.divide(some.cast(pa.float64()), all_of.cast(pa.float64()))
