"""What an error of a store of blobs means: whose fault it is, in words, without a credential. Pure.

The library's errors are long texts; what is known of them is in the table, and the first row that fits decides.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from skitter.errors import BlobsError

Kind = Literal["denied", "missing", "away"]

_CREDENTIALS = (
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or the file ~/.aws/credentials), as docs/operate.md says."
)
_AWAY = "What was to be sent is kept, and is sent when it answers again."


class Row(NamedTuple):
    """A pattern in the text of an error, and what it means."""

    pattern: re.Pattern[str]
    kind: Kind
    what: str
    remedy: str


TABLE = (
    Row(
        re.compile(r"NoSuchBucket|ContainerNotFound|bucket does not exist"),
        "missing",
        "there is no such bucket",
        "Create it, or correct its name.",
    ),
    Row(
        re.compile(r"169\.254\.169\.254|metadata\.google|fd00:ec2"), "denied", "no credentials were found", _CREDENTIALS
    ),
    Row(re.compile(r"InvalidAccessKeyId"), "denied", "the access key is not known there", _CREDENTIALS),
    Row(
        re.compile(r"SignatureDoesNotMatch|AuthorizationHeaderMalformed|InvalidSignature"),
        "denied",
        "the secret key or the region is wrong",
        _CREDENTIALS,
    ),
    Row(
        re.compile(r"ExpiredToken|RequestTimeTooSkewed"),
        "denied",
        "the token has ended, or our clock is wrong",
        _CREDENTIALS,
    ),
    Row(
        re.compile(
            r"status code: 40[13]|AccessDenied|lacked the necessary privileges|PermissionDenied|Permission denied"
        ),
        "denied",
        "access is denied",
        "Allow these credentials to list, read, write and delete below that prefix.",
    ),
    Row(re.compile(r"SlowDown|status code: (?:503|429)"), "away", "it asks us to slow down", _AWAY),
    Row(
        re.compile(r"status code: 5\d\d|InternalError"),
        "away",
        "it has an error of its own",
        _AWAY,
    ),
    Row(
        re.compile(r"kind: Timeout|TimedOut|timed out|deadline has elapsed"),
        "away",
        "it does not answer in time",
        _AWAY,
    ),
    Row(re.compile(r"error sending request|kind: Connect|connection|dns error"), "away", "it can't be reached", _AWAY),
    Row(re.compile(r"No space left|StorageFull"), "away", "it is full", _AWAY),
)


def trouble_of(error: BaseException, address: str) -> BlobsError:
    """Returns the error that callers see."""
    text = str(error)
    for row in TABLE:
        if row.pattern.search(text):
            return BlobsError(row.kind, row.what, address, row.remedy)
    # The first words name the store, the method and the status; what follows is the library's own picture of itself.
    words = re.sub(r"https?://\S+", "…", text.partition("\n")[0])[:200]
    return BlobsError("away", f"it failed ({type(error).__name__}: {words})", address, _AWAY)
