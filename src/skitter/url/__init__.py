"""URLs as values: parsed and made canonical, keyed, and held against the scope."""
