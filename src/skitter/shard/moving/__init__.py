"""Slots that move from one shard to another, with all that is known of their domains. See docs/decisions/0028."""
