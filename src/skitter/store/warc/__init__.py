"""WARC files: records in, files out; read again, and mended after a crash."""
