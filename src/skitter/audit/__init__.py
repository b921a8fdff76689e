"""Proves from the WARC files alone that a crawl kept its delays and robots.txt, and that the archive is whole."""
