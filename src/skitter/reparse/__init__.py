"""The archive read again with today's parser. Nothing is fetched."""
