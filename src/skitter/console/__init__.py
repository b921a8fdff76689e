"""One crawl as whoever looks after it sees it, and what they may tell it: for the API and the dashboard alike."""
