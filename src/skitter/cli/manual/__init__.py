"""The command line told in other forms: a man page, completion for shells, pages of the documentation."""
