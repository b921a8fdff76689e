"""Which bodies the archive holds, and where, so that each is stored once by all nodes together."""
