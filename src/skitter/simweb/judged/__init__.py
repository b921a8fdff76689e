"""Webs with a known truth, to measure what the crawler thinks of pages: what is good, what is waste, what is a copy."""
