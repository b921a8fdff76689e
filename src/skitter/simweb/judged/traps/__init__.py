"""Traps: corners of a site whose URLs have no end. Each is made for a folder, alone or in a good site."""
