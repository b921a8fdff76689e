"""A check of ours for schemathesis: whatever is refused is a problem that names the field and what would be right."""

from __future__ import annotations

import schemathesis


@schemathesis.check
def refused_with_reason(_ctx: object, response: schemathesis.Response, _case: object) -> None:
    """Raises for a refusal that helps nobody."""
    if response.status_code in (400, 413, 415, 422):
        told = response.json()
        assert told["status"] == response.status_code, told
        assert told["field"], told
        assert told["right"], told
