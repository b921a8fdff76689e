"""Looking into a crawl's folder, whether or not it is running: facts only, nothing is changed."""
