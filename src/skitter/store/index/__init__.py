"""What is written beside the WARC files: CDXJ for replay, Parquet for analysis."""
