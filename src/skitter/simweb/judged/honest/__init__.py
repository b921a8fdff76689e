"""Honest sites: every page of theirs must be fetched, however alike or oddly named they are."""
