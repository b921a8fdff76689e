"""From a name to the addresses that may be connected to: asked for once, past the guard, by nodes and workers alike."""

from __future__ import annotations

from collections.abc import Sequence

from skitter.dns.guard import Guard
from skitter.messages import Failure, Kind
from skitter.ports import Resolved, Resolver


async def allowed_addresses(name: str, resolver: Resolver, guard: Guard) -> Sequence[str] | Failure:
    """Returns the addresses of `name` that may be connected to, or why there are none."""
    resolved = resolver.resolve_nowait(name) or await resolver.resolve(name)
    if not isinstance(resolved, Resolved):
        return resolved
    allowed = [address for address in resolved.addresses if guard.refusal(address) is None]
    if allowed:
        return allowed
    refused = ", ".join(f"{address} ({guard.refusal(address)})" for address in resolved.addresses)
    return Failure(Kind.ADDRESS_REFUSED, refused)
