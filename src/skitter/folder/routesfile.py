"""DIR/domains.txt and DIR/routes.json: which domain a host belongs to, and which shard that is in.

Both are written when the crawl is created. What they hold is known to `url.domains` and `url.routes`.
"""

from __future__ import annotations

from pathlib import Path

from skitter.errors import MachineError
from skitter.folder.atomic import keep_whole
from skitter.url.routes import Routes

DOMAINS_FILE = "domains.txt"
ROUTES_FILE = "routes.json"
REMEDY = "Restore it from a copy: it says which shard a host is in, and can't be made again."


def write_routes(directory: Path, routes: Routes) -> None:
    """Returns when the routes are safe on disk. Only for a crawl that has no shard yet, or whoever moves its slots."""
    frozen = routes.domains.frozen()
    keep_whole(directory / DOMAINS_FILE, frozen)
    keep_whole(directory / ROUTES_FILE, routes.to_json(frozen))


def read_routes(directory: Path) -> Routes:
    """Returns the routes of the crawl in `directory`, as they were frozen."""
    frozen, table = _content(directory / DOMAINS_FILE), _content(directory / ROUTES_FILE)
    try:
        return Routes.from_json(table, frozen)
    except ValueError as error:
        where = f"{directory / ROUTES_FILE} with {DOMAINS_FILE} ({error})"
        raise MachineError("the crawl's routes are damaged", where, REMEDY) from None


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise MachineError(f"{file.name} can't be read", f"{file} ({error.strerror})", REMEDY) from None
