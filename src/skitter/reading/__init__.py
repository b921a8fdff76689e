"""From what was fetched to what it means. Pure."""
