"""The archive: every fetch as WARC records, a memory of bodies that it holds, and indexes for replay and analysis."""
