"""What the server can be told before it starts: declared once, read from flags, environment and one file."""
