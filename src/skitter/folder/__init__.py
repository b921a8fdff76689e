"""The folder of a crawl: who may work in it, its seeds, the operator's instructions, how the last run went."""
