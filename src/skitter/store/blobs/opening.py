"""Opens the store that an address names. The one place that knows which service is which."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from skitter.config.buckets import KINDS, Address
from skitter.errors import OperatorError
from skitter.store.blobs.credentials import s3_options

if TYPE_CHECKING:
    from obstore.store import ObjectStore

    from skitter.store.blobs.blobs import ObstoreBlobs

REQUEST = timedelta(seconds=60)
"""The longest that one request may take: 8 MiB within it are 140 kB/s."""

TRIES, TRIED_FOR = 4, timedelta(seconds=45)
"""Of one call: what is away for longer is the caller's business, who knows what can wait."""

FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=0.2), timedelta(seconds=10)


def open_blobs(address: Address, environment: Mapping[str, str] | None = None) -> ObstoreBlobs:
    """Returns the blobs below an address. OperatorError if its client is not installed; nothing is asked yet."""
    try:
        from skitter.store.blobs.blobs import ObstoreBlobs
    except ImportError:
        right = f"{KINDS[address.scheme]} needs a client that is not installed: pip install 'skitter[fleet]'"
        raise OperatorError("--out", str(address), right) from None
    return ObstoreBlobs(_store(address, os.environ if environment is None else environment), str(address))


def _store(address: Address, environment: Mapping[str, str]) -> ObjectStore:
    from obstore import store

    if address.scheme == "file":
        return store.LocalStore(address.prefix, automatic_cleanup=False, mkdir=True)
    common: dict[str, Any] = {
        "prefix": address.prefix or None,
        "retry_config": {
            "max_retries": TRIES,
            "retry_timeout": TRIED_FOR,
            "backoff": {"init_backoff": FIRST_WAIT, "max_backoff": LONGEST_WAIT, "base": 2},
        },
        "client_options": {"timeout": REQUEST, "connect_timeout": timedelta(seconds=5)},
    }
    try:
        if address.scheme == "gs":
            return store.GCSStore(address.bucket, **common)
        if address.scheme == "az":
            return store.AzureStore(address.bucket, **common)
        common |= s3_options(environment)
        common["client_options"]["allow_http"] = common.get("endpoint", "").startswith("http://")
        return store.S3Store(address.bucket, checksum_algorithm="sha256", **common)
    except (ValueError, TypeError, OSError) as error:
        raise OperatorError("--out", str(address), f"can't be opened ({type(error).__name__})") from None
