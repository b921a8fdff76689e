"""The process that does the work, and the one that watches over it."""
