"""Where blobs are: `s3://BUCKET/PREFIX`, `gs://…`, `az://…`, `file:///FOLDER`. Pure."""

from __future__ import annotations

import re

from msgspec import Struct

from skitter.errors import OperatorError

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)/*(.*)", re.DOTALL)
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}")
_PREFIX = re.compile(r"[A-Za-z0-9._=+,~-]+(?:/+[A-Za-z0-9._=+,~-]+)*/*")
KINDS = {"s3": "S3", "gs": "Google Cloud Storage", "az": "Azure", "file": "a folder"}


class Address(Struct, frozen=True):
    """A prefix of a bucket, or a folder. It holds no secret, so it can be shown and kept."""

    scheme: str
    bucket: str  # nothing for a folder
    prefix: str  # without a slash at the end; of a folder its absolute path

    def __str__(self) -> str:
        if self.scheme == "file":
            return f"file://{self.prefix}"
        return f"{self.scheme}://{self.bucket}" + (f"/{self.prefix}" if self.prefix else "")


def is_address(text: str) -> bool:
    """Whether that is no path: it has a scheme and two slashes."""
    return _ADDRESS.match(text) is not None


def parse_address(text: str, key: str = "--out") -> Address:
    """Returns the address. OperatorError, which calls it `key`, if it can't be one."""
    found = _ADDRESS.fullmatch(text)
    scheme = "" if found is None else found[1].lower()
    if found is None or scheme not in KINDS:
        known = ", ".join(f"{name}:// ({words})" for name, words in KINDS.items())
        raise OperatorError(key, text.partition("://")[0], f"must be a folder, or begin with one of {known}")
    if scheme == "file":
        return _folder(found[2], found[3], key)
    if "@" in found[2]:  # not repeated: it may be a password
        right = "must not hold credentials: they come from the environment or files (docs/operate.md)"
        raise OperatorError(key, f"{scheme}://…", right)
    if not _BUCKET.fullmatch(found[2]):
        raise OperatorError(key, text, f"must be {scheme}://BUCKET or {scheme}://BUCKET/PREFIX")
    prefix = "/".join(part for part in found[3].split("/") if part)
    is_odd = any(part in (".", "..") for part in prefix.split("/"))
    if prefix and (is_odd or not _PREFIX.fullmatch(prefix)):
        raise OperatorError(key, text, "the prefix may have letters, digits and ._=+,~- in its parts only")
    return Address(scheme, found[2], prefix)


def _folder(host: str, path: str, key: str) -> Address:
    if host or not path.strip("/"):
        raise OperatorError(key, f"file://{host}/{path}", "must be file:///FOLDER")
    return Address("file", "", "/" + path.strip("/"))
