"""A match server for bots: matches, ladders and tournaments, the server around them, and the command line."""
