"""How fast and how often we may come back to a host, as values."""
