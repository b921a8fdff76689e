"""PostgreSQL as a sink: tables of ours, each row once, the bookmark in the same transaction."""
