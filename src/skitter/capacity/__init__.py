"""What a crawl will take, before it begins: from what is wanted of it to machines, bytes and money. Pure."""
