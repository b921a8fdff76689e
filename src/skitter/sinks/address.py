"""Where rows go to, as the operator writes it. Pure.

    postgres://USER@HOST/DATABASE   jsonl:-   jsonl:FILE   kafka://BROKER,BROKER/TOPIC   https://HOST/PATH   plugin:NAME

`?tables=captures,links` says which tables are wanted. An address holds no secret, so it can be shown and kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qsl, urlsplit

from msgspec import Struct
from xxhash import xxh3_64_hexdigest

from skitter.errors import OperatorError
from skitter.sinks.tables import TABLES, USUAL

POSTGRES_TABLES = ("captures", "failures", "links", "robots")
SHAPES: Mapping[str, str] = {
    "postgres": "postgres://USER@HOST/DATABASE",
    "jsonl": "jsonl:- or jsonl:FILE",
    "kafka": "kafka://BROKER:9092,BROKER:9092/TOPIC",
    "https": "https://HOST/PATH",
    "plugin": "plugin:NAME",
}
SAME = {"postgresql": "postgres", "http": "https"}
SECRETS = frozenset({"password", "sslpassword", "passwd", "secret", "token", "oauth_client_secret"})
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_BROKERS = re.compile(r"[^\s,/@]+(?:,[^\s,/@]+)*")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class SinkAddress(Struct, frozen=True):
    """An address that can be one. `name` stands for it in names of files."""

    scheme: str
    target: str  # without what was for us
    tables: Sequence[str]  # none: those that the sink itself asks for
    name: str

    def __str__(self) -> str:
        return self.target


def parse_sink(text: str, key: str = "--sink") -> SinkAddress:
    """Returns the address. OperatorError, which calls it `key`, if it can't be one."""
    word, colon, rest = text.partition(":")
    scheme = SAME.get(word.lower(), word.lower())
    if not colon or scheme not in SHAPES:
        raise OperatorError(key, word, f"must be one of {', '.join(SHAPES.values())}")
    if scheme in ("jsonl", "plugin"):
        file, _, query = rest.partition("?tables=")
        target, tables = f"{scheme}:{file}", query
    else:
        target, tables = _split(text, scheme, key)
    _CHECKS[scheme](target, key)
    wanted = _tables(tables, scheme, key)
    return SinkAddress(scheme, target, wanted, sink_name(scheme, target, wanted))


def sink_name(scheme: str, target: str, tables: Sequence[str]) -> str:
    """Returns what stands for an address and its tables in names of files."""
    told = f"{target} {','.join(sorted(tables))}"
    return f"{scheme}-{xxh3_64_hexdigest(told.encode())}"


def absolute(text: str, folder: str) -> str:
    """Returns an address that means the same elsewhere: that of a file is given from the root on."""
    word, colon, file = text.partition(":")
    is_relative = word.lower() == "jsonl" and colon and not file.startswith(("/", "-"))
    return f"jsonl:{folder}/{file}" if is_relative else text


def _split(text: str, scheme: str, key: str) -> tuple[str, str]:
    """Returns the address without our own part of the query, and that part. Raises where it holds a secret."""
    try:
        parts = urlsplit(text)
        password = parts.password
    except ValueError as error:
        raise OperatorError(key, SHAPES[scheme], f"can't be read as a URL ({error})") from None
    query = parse_qsl(parts.query, keep_blank_values=True)
    if password is not None or any(name.lower() in SECRETS for name, _ in query):  # not repeated here
        raise OperatorError(key, f"{scheme}://…", f"must not hold a password: {_SAFELY[scheme]}")
    tables = ",".join(value for name, value in query if name == "tables")
    kept = "&".join(piece for piece in parts.query.split("&") if piece and not piece.startswith("tables="))
    before, _, _ = text.partition("?")  # as it was written: `postgres:///?service=…` names no host
    return f"{before}?{kept}" if kept else before, tables


def _tables(said: str, scheme: str, key: str) -> Sequence[str]:
    wanted = [name for name in said.split(",") if name]
    for name in wanted:
        if name not in TABLES:
            raise OperatorError(key, f"tables={name}", f"must be some of {', '.join(TABLES)}")
    usual = {"postgres": POSTGRES_TABLES, "plugin": ()}.get(scheme, USUAL)
    return tuple(wanted) or usual


def _check_file(target: str, key: str) -> None:
    if target == "jsonl:" or "\0" in target:
        raise OperatorError(key, target, f"must be {SHAPES['jsonl']}")


def _check_kafka(target: str, key: str) -> None:
    parts = urlsplit(target)
    if not _BROKERS.fullmatch(parts.netloc) or not _TOPIC.fullmatch(parts.path.removeprefix("/")):
        raise OperatorError(key, target, f"must be {SHAPES['kafka']}; a topic has letters, digits and ._- only")


def _check_webhook(target: str, key: str) -> None:
    parts = urlsplit(target)
    if not parts.hostname or parts.username is not None:
        raise OperatorError(key, f"{parts.scheme}://…", f"must be {SHAPES['https']}, without a user")
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        raise OperatorError(key, target, "must be https:// beyond this machine: rows are not for everyone on the way")


def _check_postgres(target: str, key: str) -> None:
    if not target.partition("://")[1]:
        raise OperatorError(key, target, f"must be {SHAPES['postgres']}")


def _check_plugin(target: str, key: str) -> None:
    if target == "plugin:":
        raise OperatorError(key, target, f"must be {SHAPES['plugin']}, a name of plugins.use")


_CHECKS: Mapping[str, Callable[[str, str], None]] = {
    "postgres": _check_postgres,
    "jsonl": _check_file,
    "kafka": _check_kafka,
    "https": _check_webhook,
    "plugin": _check_plugin,
}
_SAFELY = {
    "postgres": "it comes from PGPASSWORD, a passfile (~/.pgpass) or a service (docs/sinks.md)",
    "kafka": "it comes from the file that sinks.kafka_file names",
    "https": "the secret comes from SKITTER_WEBHOOK_SECRET or the file that sinks.secret_file names",
}
