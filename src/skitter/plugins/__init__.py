"""The operator's own code on the path of a page: found by name, asked in order, timed, counted, and kept apart."""
