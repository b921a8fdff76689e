"""Makes sure before a crawl starts that its bucket is there, lets us in, and is no other crawl's."""

from __future__ import annotations

from pathlib import Path

from skitter.config.buckets import parse_address
from skitter.errors import OperatorError
from skitter.settings import Settings


async def claim_bucket(directory: Path, settings: Settings) -> None:
    """Returns when the bucket of the settings, if they name one, is this crawl's. OperatorError if it can't be."""
    bucket = settings.bucket
    if not bucket.address and not (directory / "bucket").exists():
        return
    # Here and not above: a crawl into a folder does not wait for what it does not need.
    from skitter.store.blobs.opening import open_blobs
    from skitter.store.shipping.claim import claim, read_claim

    if not bucket.address:
        if (before := read_claim(directory)) is not None:
            right = f"the archive of this crawl is in {before.address}: name that with --out, or as bucket.address"
            raise OperatorError("bucket.address", "", right)
        return
    address = parse_address(bucket.address, "bucket.address")
    if bucket.archive_after and address.scheme != "s3":
        right = "needs a bucket of S3: the others know no tags; give the bucket a rule by the age of its objects"
        raise OperatorError("--archive-after", bucket.archive_after, right)
    await claim(directory, open_blobs(address), str(address))
