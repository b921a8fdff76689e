"""Pages in browsers, as a node sees them: what they are given, and what comes of them."""
