"""One URL in, one answer out: a single hop over HTTP/1.1, with a limit on everything the other side controls."""
