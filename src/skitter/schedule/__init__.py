"""Which URL matters most, and when to see it again."""
