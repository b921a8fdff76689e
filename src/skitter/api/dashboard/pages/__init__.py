"""One file for each page: from views to HTML. Pure."""
