"""Sample search bot with few iterations per move, for tests in which many bots share the machine."""

from referee_client.bots.search import SearchBot


class BriefSearch(SearchBot):
    def __init__(self) -> None:
        super().__init__(iterations=20)
