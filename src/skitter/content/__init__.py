"""What documents say: text, facts, pictures, and what their sites reserve. Tables made from the archive."""
