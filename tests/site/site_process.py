"""The real site as a separate process, with a real server and real bots."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from referee_api.v1 import token_pb2
from referee_client import Organiser

from tests.e2e.server import (
    TIMEOUT_S,
    ServerProcess,
    create_organiser_token,
    create_token,
    first_line,
    run_program,
    run_server,
)

BOTS = ("anna", "bert", "cleo", "dora")
LIVE_GAMES: dict[str, dict[str, object]] = {
    "alquerque": {},
    "trox": {"max_plies": 40},
    "troke": {"seats": 4, "max_plies": 40},
    "toc": {"max_turns": 24},
}


@contextmanager
def run_site(server: str, token: str, folder: Path, listen: str = "127.0.0.1:0") -> Iterator["SiteProcess"]:
    """Run the site of the server at this address."""
    token_file = folder / "token"
    token_file.write_text(f"{token}\n")
    arguments = ["--at", server, "--token-file", str(token_file), "--listen", listen]
    log = folder / "site.log"
    with run_program([sys.executable, "-m", "referee", "site", *arguments], log) as process:
        yield SiteProcess(process, first_line(process, log)["site"])


@dataclass(frozen=True)
class SiteProcess:
    process: subprocess.Popen[str]
    url: str

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT_S)


@dataclass(frozen=True)
class World:
    """A server with bots that are online, and its site."""

    server: ServerProcess
    organiser: Organiser
    player: Organiser
    """The owner of the first bot, who sees its matches without delay."""
    token: str
    """Token of the spectator that the site is."""
    site: SiteProcess
    gate: Path
    """Slow matches are held at `HELD_PLY` until this file exists, and then at the move that is in it, if one is."""

    def hold_at(self, ply: int) -> None:
        """Let slow matches go on up to this move."""
        written = self.gate.with_suffix(".new")
        written.write_text(str(ply))
        written.replace(self.gate)

    def wait_for_ply(self, match_id: str, ply: int) -> None:
        """Wait until a match has so many moves, or is over."""
        for entry in self.player.watch(match_id):
            state = getattr(entry.event, "state", None)
            if state and state.ply >= ply:
                return


@contextmanager
def run_world(folder: Path, *flags: str) -> Iterator[World]:
    with ExitStack() as stack:
        server = stack.enter_context(run_server(folder, *flags))
        with server.channel() as channel:
            secret = create_organiser_token(channel, server.admin_token)
            token = create_spectator_token(server)
        organiser = stack.enter_context(Organiser(server.address, secret, patience_s=TIMEOUT_S))
        tokens = [organiser.register_bot(name) for name in BOTS]
        gate = folder / "gate"
        bots = [sys.executable, "-m", "tests.site.bots", server.address, str(gate), *tokens]
        stack.enter_context(run_program(bots, folder / "bots.log"))
        site = stack.enter_context(run_site(server.address, token, folder))
        player = stack.enter_context(Organiser(server.address, tokens[0], patience_s=TIMEOUT_S))
        yield World(server, organiser, player, token, site, gate)


def create_spectator_token(server: ServerProcess) -> str:
    with server.channel() as channel:
        return create_token(channel, server.admin_token, token_pb2.ROLE_SPECTATOR, "site")
