"""A shard whose truth is a partition of a log: what is written is safe once the log has it. See docs/decisions/0026."""
