"""How a clause says no."""


class Failed(Exception):
    """The bot did not keep to a clause. `str()` says what was expected, and what came."""


class NotForThisBot(Exception):
    """The clause asks for something that the bot does not do, such as a game it does not play."""
