"""Skitter: a web crawler that is polite, durable and fast."""

__version__ = "0.1.0"
