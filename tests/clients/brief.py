"""The sample bot that searches, for tests in which it shares the machine with many: it thinks briefly."""

from referee_client.bots.search import SearchBot


class BriefSearch(SearchBot):
    def __init__(self) -> None:
        super().__init__(iterations=20)
