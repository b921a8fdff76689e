"""Bytes of any kind in, a Page or a Sitemap out."""
