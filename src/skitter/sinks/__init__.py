"""Where rows about what was fetched go beside the archive: fed from it, in a process beside the crawl."""
