"""The keys to S3 where the environment has none: from the files that every S3 client reads.

Nothing here is ever shown: values go from the file to the library, and errors name the file alone.
"""

from __future__ import annotations

import configparser
from collections.abc import Mapping
from pathlib import Path

from skitter.errors import OperatorError

_LEFT_TO_THE_LIBRARY = (
    *("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"),
    *("AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_SKIP_SIGNATURE"),
)
_KEYS = {
    "aws_access_key_id": "access_key_id",
    "aws_secret_access_key": "secret_access_key",
    "aws_session_token": "session_token",
}


def s3_options(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the keys, from the environment or the credentials file, the region and the endpoint, as far as they are
    said. The library finds what a machine or a container in the cloud is given by itself.
    """
    profile = environment.get("AWS_PROFILE", "default")
    options = {ours: environment[theirs.upper()] for theirs, ours in _KEYS.items() if environment.get(theirs.upper())}
    if not options and not any(environment.get(name) for name in _LEFT_TO_THE_LIBRARY):
        found = _section(_file(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials"), profile)
        options = {ours: found[theirs] for theirs, ours in _KEYS.items() if theirs in found}
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    configured = _section(_file(environment, "AWS_CONFIG_FILE", "config"), profile, f"profile {profile}")
    if region or "region" in configured:
        options["region"] = region or configured["region"]
    endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
    if endpoint or "endpoint_url" in configured:
        options["endpoint"] = endpoint or configured["endpoint_url"]
    return options


def _file(environment: Mapping[str, str], name: str, usual: str) -> Path:
    given = environment.get(name)
    return Path(given).expanduser() if given else Path(environment.get("HOME", "/")) / ".aws" / usual


def _section(file: Path, *names: str) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, configparser.Error):  # the error of the parser would repeat a line of the file
        raise OperatorError("credentials", str(file), "can't be read: it must be a file of [profiles]") from None
    return next((dict(parser[name]) for name in names if parser.has_section(name)), {})
