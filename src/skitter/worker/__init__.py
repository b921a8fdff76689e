"""A worker elsewhere: it fetches, reads and stores for nodes, and keeps nothing that they need."""
