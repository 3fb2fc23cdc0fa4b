"""What many watchers hear alike is made into a message once, and nobody hears what is meant for other eyes."""

from engines.api import SPECTATOR, Viewer
from referee.app.heard import Heard
from referee.transport.convert.entries import Eyes
from referee.transport.convert.matches import Aside
from referee.transport.retelling import KEPT_AT_MOST, Retelling
from tests.app.hall import Hall
from tests.app.scene import in_loop

ASIDE = Aside(lambda _: True)


async def heard_of(hall: Hall, match_id: str, viewer: Viewer) -> Heard:
    """The last entry of a match that has three, as the viewer hears of it now."""
    _, watching = await hall.referee.watch(match_id, 2, viewer)
    (heard,) = await anext(watching)
    return heard


@in_loop
async def test_all_who_see_the_same_are_told_by_the_same_message() -> None:
    hall, retelling = Hall(), Retelling()
    match_id, _ = await hall.begun()
    await hall.played(match_id, 0, "1")
    one, another = [await heard_of(hall, match_id, SPECTATOR) for _ in range(2)]
    first = retelling.item(one, Eyes(SPECTATOR, ASIDE))
    assert retelling.item(another, Eyes(SPECTATOR, ASIDE)) is first
    assert (first.entry.number, first.entry.move_played.played.move) == (3, "1")
    await hall.referee.close()


@in_loop
async def test_each_sees_with_its_own_eyes() -> None:
    hall, retelling = Hall(), Retelling()
    match_id, _ = await hall.begun("fingers")
    await hall.played(match_id, 0, "3")
    heard = {viewer: await heard_of(hall, match_id, viewer) for viewer in (SPECTATOR, 0)}
    told = {viewer: retelling.item(heard[viewer], Eyes(viewer, ASIDE)).entry for viewer in (SPECTATOR, 0, SPECTATOR)}
    assert told[SPECTATOR].choice_sealed.state.position != told[0].choice_sealed.state.position
    with_view = retelling.item(heard[0], Eyes(0, ASIDE, with_view=True)).entry
    assert with_view.choice_sealed.state.view_json
    assert not told[0].choice_sealed.state.view_json
    await hall.referee.close()


@in_loop
async def test_what_came_later_is_told_anew() -> None:
    hall, retelling = Hall(), Retelling()
    match_id, _ = await hall.begun()
    _, watching = await hall.referee.watch(match_id, None, SPECTATOR)
    told = []
    for ply in range(3):
        await hall.played(match_id, ply % 2, "1")
        told += [retelling.item(heard, Eyes(SPECTATOR, ASIDE)).entry.number for heard in await anext(watching)]
    assert told == [3, 4, 5]
    await hall.referee.close()


@in_loop
async def test_only_so_many_are_remembered() -> None:
    hall, retelling = Hall(), Retelling()
    match_id, _ = await hall.begun()
    await hall.played(match_id, 0, "1")
    heard = await heard_of(hall, match_id, SPECTATOR)
    first = retelling.item(heard, Eyes(SPECTATOR, ASIDE))
    for seat in range(KEPT_AT_MOST):
        retelling.item(heard, Eyes(seat, ASIDE))
    assert retelling.item(heard, Eyes(SPECTATOR, ASIDE)) is not first
    await hall.referee.close()
