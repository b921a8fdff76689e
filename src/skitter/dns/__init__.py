"""Names to addresses, and which addresses may be connected to."""
