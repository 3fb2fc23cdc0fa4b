"""Entries of matches on their way to those who watch: what many hear alike is made into a message once."""

from collections import OrderedDict
from typing import TypeAlias

from referee_api.v1 import match_service_pb2 as pb

from engines.api import Viewer
from referee.app.heard import Heard
from referee.transport.convert.entries import Eyes, entry_of

KEPT_AT_MOST = 256

Audience: TypeAlias = tuple[str, Viewer, bool]
"""Those who see one match with the same eyes."""


class Retelling:
    """For all watchers of one process."""

    def __init__(self) -> None:
        self._last: OrderedDict[Audience, tuple[Heard, pb.WatchMatchItem]] = OrderedDict()
        """What each audience was told last; who was told last stands at the end."""

    def item(self, heard: Heard, eyes: Eyes) -> pb.WatchMatchItem:
        """What is told of it. Nobody is to change it: the next one gets the same."""
        audience = (heard.match.setup.match_id, eyes.viewer, eyes.with_view)
        known = self._last.get(audience)
        if known and known[0] is heard:
            return known[1]
        item = pb.WatchMatchItem(entry=entry_of(heard, eyes))
        self._last[audience] = heard, item
        self._last.move_to_end(audience)
        if len(self._last) > KEPT_AT_MOST:
            self._last.popitem(last=False)
        return item
