"""One table of what can be asked for: it makes the routes, the checks before them and the OpenAPI page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct
from starlette.requests import Request

from skitter.api.tokens import Role, Who


class Asked(Struct, frozen=True):
    """A request that was let in, with what it says already read as the types of its endpoint."""

    who: Who
    request: Request
    path: Mapping[str, str]
    query: Any = None
    body: Any = None


Call: TypeAlias = Callable[[Asked], Awaitable[object]]


class Endpoint(Struct, frozen=True):
    """Something that can be asked for. `call` returns what `answer` describes, a Response, or raises a Problem."""

    method: str
    path: str
    role: Role
    call: Call
    summary: str
    answer: Any  # a type; None: nothing is said
    query: Any = None
    body: Any = None
    problems: tuple[int, ...] = ()  # that it may answer with, beside those that all may
    media: str = "application/json"

    @property
    def is_write(self) -> bool:
        """Whether it may change something for the operator: such are logged, limited, and take an Idempotency-Key."""
        return self.method != "GET" and self.role is Role.OPERATOR


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """No parameters."""
