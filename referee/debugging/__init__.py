"""What a bot's author wants to know of a finished match: what my bot was asked, what it said, and what that cost."""
