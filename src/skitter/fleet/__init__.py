"""The same crawl on many machines: which shards a node holds, and when it may fetch. See docs/decisions/0026."""
