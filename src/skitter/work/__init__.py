"""Work that is done elsewhere: leases that workers carry, with nodes as the only writers."""
