"""Links on their way between nodes."""
