"""A fleet in the simulator: the real ownership, journal, frontier and node, on a cluster in memory at its worst."""
