"""The dashboard: pages made of what the console sees, kept up to date while somebody looks (docs/dashboard.md)."""
