"""The bucket of a fleet's archive: one crawl's, whichever of its nodes comes first."""

from __future__ import annotations

import hashlib
from pathlib import Path

from skitter.config.buckets import parse_address
from skitter.errors import OperatorError
from skitter.fleet.facts import Facts
from skitter.store.blobs.opening import open_blobs
from skitter.store.shipping.claim import claim

KEY = "bucket.address"


async def claim_for_fleet(directory: Path, fleet: str, facts: Facts) -> None:
    """Returns when the bucket of the settings, if they name one, is this fleet's. OperatorError if it is another's."""
    address = facts.settings.bucket.address
    if not address:
        return
    where = parse_address(address, KEY)
    try:
        await claim(directory, open_blobs(where), str(where), number_of(fleet, facts))
    except OperatorError as error:
        raise OperatorError(KEY, address, error.right) from None


def number_of(fleet: str, facts: Facts) -> str:
    """Returns the number of a fleet's crawl. By its beginning too: one made anew under this name is another crawl."""
    return facts.archive or hashlib.sha256(f"{fleet}@{facts.created}".encode()).hexdigest()[:32]
