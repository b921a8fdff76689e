"""One shard on disk: its keys, its records, its one writer, and the memory that goes with it."""
