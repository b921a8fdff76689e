"""Readers of documents, each for some media types: bytes in, what they say out."""
