"""What the operator said, checked: from a file, the environment and flags to `settings`."""
