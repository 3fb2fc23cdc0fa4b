"""The Hello of the clients in other languages."""

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import grpc
import pytest
from referee_api.v1.play_pb2 import Hello
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse
from referee_api.v1.play_service_pb2_grpc import PlayServiceServicer, add_PlayServiceServicer_to_server

from tests.clients.client_builds import ClientBuilder
from tests.clients.languages import LANGUAGES, Language
from tests.e2e.server import TIMEOUT_S

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]


class HelloRecorder(PlayServiceServicer):
    """Ends each stream after its Hello, with the status after which a bot must not reconnect."""

    def __init__(self) -> None:
        self.hellos: SimpleQueue[Hello] = SimpleQueue()

    def Play(  # noqa: N802  # The contract names it.
        self, request_iterator: Iterator[PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[PlayResponse]:
        self.hellos.put(next(request_iterator).items[0].hello)
        context.abort(grpc.StatusCode.ABORTED, "the Hello was recorded")


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
@pytest.mark.parametrize(("value", "expected"), [("1", True), ("0", False)])
def test_a_client_asks_for_verdicts_with_turns_if_its_environment_says_so(
    language: Language, value: str, expected: bool, client_builder: ClientBuilder
) -> None:
    client_builder.build(language)
    recorder = HelloRecorder()
    server = grpc.server(ThreadPoolExecutor(1))
    add_PlayServiceServicer_to_server(recorder, server)
    port = server.add_insecure_port("127.0.0.1:0")
    environment = {name: text for name, text in os.environ.items() if not name.startswith("BOT_")}
    environment |= {"BOT_REFEREE": f"127.0.0.1:{port}", "BOT_TOKEN": "secret", "BOT_VERDICTS_WITH_TURNS": value}
    server.start()
    try:
        subprocess.run(
            language.run,
            cwd=language.folder,
            env={**environment, **language.environment},
            timeout=TIMEOUT_S,
            check=False,
        )
    finally:
        server.stop(None)
    assert recorder.hellos.get_nowait().verdicts_with_turns is expected
