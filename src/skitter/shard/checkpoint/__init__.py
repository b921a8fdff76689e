"""Checkpoints of shards in a bucket: what a shard came to at one place of its log, to go on from on any machine."""
