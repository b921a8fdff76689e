"""Moves the archive to a bucket: WARC files leave this machine when they are safe there, indexes are copied."""
