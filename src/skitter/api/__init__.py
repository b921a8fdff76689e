"""The HTTP API of a crawl. So far: what workers elsewhere ask of its nodes (docs/api.md)."""
