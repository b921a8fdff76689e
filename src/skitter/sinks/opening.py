"""From an address to a sink, with what it needs and must not be written anywhere: passwords, keys, secrets."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from skitter.errors import OperatorError
from skitter.folder.routesfile import read_routes
from skitter.ports import Sink
from skitter.settings import Settings
from skitter.sinks.address import SinkAddress
from skitter.sinks.json_lines import FileSink, StreamSink
from skitter.sinks.kept import crawl_id
from skitter.sinks.tables import TABLES

SECRET = "SKITTER_WEBHOOK_SECRET"  # noqa: S105 (a name)
LEAST_SECRET = 16


class Place(Struct, frozen=True):
    """What a sink is made for: a crawl, and the feed whose bookmark it keeps, if it does."""

    directory: Path
    settings: Settings
    feed: str = "archive"


def opened_sink(address: SinkAddress, place: Place, environ: Mapping[str, str] = os.environ) -> Sink:
    """Returns the sink, closed still. OperatorError if something that it needs is not installed, or not told."""
    return _MAKERS[address.scheme](address, place, environ)


def require_sink(address: SinkAddress, settings: Settings, environ: Mapping[str, str] = os.environ) -> None:
    """Raises what `opened_sink` would raise for reasons that are known before there is a crawl."""
    match address.scheme:
        case "postgres":
            _conninfo(address)
        case "kafka":
            _kafka_settings(address, settings)
        case "https":
            _secret(settings, environ)
        case "plugin":
            from skitter.plugins.sinks import require_sink as require_plugin  # here: few crawls have any

            require_plugin(address.target.removeprefix("plugin:"), settings.plugins, "--sink", TABLES)


def _postgres(address: SinkAddress, place: Place, _environ: Mapping[str, str]) -> Sink:
    conninfo = _conninfo(address)
    from skitter.sinks.postgres.sink import PostgresSink

    domains = read_routes(place.directory).domains
    return PostgresSink(
        conninfo,
        str(address),
        crawl_id(place.directory),
        place.settings,
        domains.domain_of,
        tables=address.tables,
        feed=place.feed,
    )


def _conninfo(address: SinkAddress) -> str:
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        right = "needs psycopg: pip install 'skitter[postgres]'"
        raise OperatorError("--sink", str(address), right) from None
    try:
        conninfo_to_dict(address.target)
    except ProgrammingError as error:
        raise OperatorError("--sink", str(address), f"can't be read: {error}".strip()) from None
    return address.target


def _json_lines(address: SinkAddress, _place: Place, _environ: Mapping[str, str]) -> Sink:
    file = address.target.removeprefix("jsonl:")
    return StreamSink(sys.stdout.buffer, address.tables) if file == "-" else FileSink(Path(file), address.tables)


def _kafka(address: SinkAddress, place: Place, _environ: Mapping[str, str]) -> Sink:
    client = _kafka_settings(address, place.settings)
    from skitter.sinks.kafka import KafkaSink

    return KafkaSink(client, urlsplit(address.target).path.removeprefix("/"), str(address), address.tables)


def _kafka_settings(address: SinkAddress, settings: Settings) -> dict[str, Any]:
    try:
        import confluent_kafka  # noqa: F401 (whether it is there)
    except ImportError:
        raise OperatorError("--sink", str(address), "needs a client: pip install 'skitter[fleet]'") from None
    servers = urlsplit(address.target).netloc
    return {**_properties(settings.sinks.kafka_file), "bootstrap.servers": servers}


def _properties(file: str) -> dict[str, str]:
    """Returns what a file says, lines `name=value` as Kafka's own tools read them. Values are never repeated."""
    if not file:
        return {}
    found = {}
    for number, line in enumerate(_content("sinks.kafka_file", file).splitlines(), 1):
        name, equals, value = line.partition("=")
        if line.strip() and not line.lstrip().startswith("#"):
            if not equals:
                raise OperatorError("sinks.kafka_file", f"{file}, line {number}", "must be name=value")
            found[name.strip()] = value.strip()
    return found


def _webhook(address: SinkAddress, place: Place, environ: Mapping[str, str]) -> Sink:
    from skitter.sinks.webhook import WebhookSink

    return WebhookSink(address.target, _secret(place.settings, environ), address.tables)


def _secret(settings: Settings, environ: Mapping[str, str]) -> bytes:
    file = settings.sinks.secret_file
    secret = _content("sinks.secret_file", file).strip() if file else environ.get(SECRET, "")
    if len(secret) < LEAST_SECRET:  # its value is never repeated
        right = f"webhooks are signed with a secret of at least {LEAST_SECRET} signs: set it, or name a file with it"
        raise OperatorError("sinks.secret_file" if file else SECRET, "***" if secret else "", right)
    return secret.encode()


def _content(key: str, file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise OperatorError(key, file, f"can't be read ({words})") from None


def _plugin(address: SinkAddress, place: Place, _environ: Mapping[str, str]) -> Sink:
    from skitter.plugins.sinks import PluginSink  # here: few crawls have any

    return PluginSink(address.target.removeprefix("plugin:"), place.settings.plugins)


_MAKERS: Mapping[str, Callable[[SinkAddress, Place, Mapping[str, str]], Sink]] = {
    "postgres": _postgres,
    "jsonl": _json_lines,
    "kafka": _kafka,
    "https": _webhook,
    "plugin": _plugin,
}
