"""The OpenAPI 3.1 page, from the table of endpoints and the types that they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from skitter import __version__
from skitter.api.endpoints import Asked, Endpoint
from skitter.api.problems import MEDIA, TITLES, ProblemBody
from skitter.api.tokens import Role

REF = "#/components/schemas/{name}"
ALWAYS = (400, 401, 403, 421, 429)
"""Problems that any request may end with."""

WITH_BODY = (413, 415)
WITH_KEY = (409, 422)
LOOKS = (503,)


def openapi_endpoint(endpoints: Sequence[Endpoint]) -> Endpoint:
    """Returns what serves the page; it is on the page too."""

    async def page(_: Asked) -> msgspec.Raw:
        return raw

    mine = Endpoint("GET", "/openapi.json", Role.READ, page, "This page.", dict[str, Any])
    raw = msgspec.Raw(msgspec.json.encode(openapi([*endpoints, mine])))
    return mine


def openapi(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Returns the page."""
    types = [one for end in endpoints for one in (end.answer, end.body, end.query) if one is not None]
    schemas, components = msgspec.json.schema_components([*types, ProblemBody], ref_template=REF)
    for schema in components.values():
        _without_tag(schema)
        _with_plain_tuples(schema)
    by_type = {id(one): schema for one, schema in zip([*types, ProblemBody], schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for one in endpoints:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, by_type, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Skitter", "version": __version__, "description": "How a crawl stands, and what it is told."},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "Of DIR/api-tokens."}},
        },
        "security": [{"token": []}],
    }


def _without_tag(schema: dict[str, Any]) -> None:
    """Asks nobody for what tells structs apart among ourselves: it may be left out."""
    about = schema.get("properties", {}).get("type", {})
    if len(about.get("enum", ())) == 1:
        schema["required"] = [name for name in schema["required"] if name != "type"]


def _with_plain_tuples(schema: object) -> None:
    """Says of a tuple whose parts are alike that it is a list of so many: not every reader knows the newer word."""
    if isinstance(schema, dict):
        parts = schema.get("prefixItems", [])
        if parts and all(part == parts[0] for part in parts):
            schema["items"] = schema.pop("prefixItems")[0]
        for below in schema.values():
            _with_plain_tuples(below)
    elif isinstance(schema, list):
        for below in schema:
            _with_plain_tuples(below)


def _operation(one: Endpoint, schemas: dict[int, Any], components: dict[str, Any]) -> dict[str, Any]:
    words = re.sub(r"[^a-z0-9]+", "_", f"{one.method} {one.path}".lower()).strip("_")
    found: dict[str, Any] = {
        "operationId": words,
        "summary": one.summary,
        "description": f"Needs a token of the role `{one.role}`.",
        "parameters": [*_path_parameters(one), *_query_parameters(one, schemas, components), *_headers(one)],
        "responses": _responses(one, schemas),
    }
    if one.body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": schemas[id(one.body)]}}}
    return found


def _path_parameters(one: Endpoint) -> list[dict[str, Any]]:
    names = re.findall(r"\{(\w+)\}", one.path)
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query_parameters(one: Endpoint, schemas: dict[int, Any], components: dict[str, Any]) -> list[dict[str, Any]]:
    if one.query is None:
        return []
    schema = components[schemas[id(one.query)]["$ref"].rpartition("/")[2]]
    needed = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in needed, "schema": about}
        for name, about in schema["properties"].items()
    ]


def _headers(one: Endpoint) -> list[dict[str, Any]]:
    if not one.is_write:
        return []
    about = "The same key again is answered the same, and done once, for a day."
    schema = {"type": "string", "minLength": 1, "maxLength": 200}
    return [{"name": "Idempotency-Key", "in": "header", "required": False, "description": about, "schema": schema}]


def _responses(one: Endpoint, schemas: dict[int, Any]) -> dict[str, Any]:
    if one.answer is None:
        found: dict[str, Any] = {"204": {"description": "Done."}}
    else:
        found = {"200": {"description": one.summary, "content": {one.media: {"schema": schemas[id(one.answer)]}}}}
    codes = {*ALWAYS, *one.problems, *(WITH_BODY if one.body is not None else ()), *(WITH_KEY if one.is_write else ())}
    problem = {"content": {MEDIA: {"schema": schemas[id(ProblemBody)]}}}
    for code in sorted(codes):
        found[str(code)] = {"description": TITLES[code], **problem}
    return found
