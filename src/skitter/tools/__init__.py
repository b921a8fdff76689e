"""`skitter tools`: the pure parts as programs, JSON lines in, JSON lines out."""
