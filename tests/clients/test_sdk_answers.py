"""What a bot may return."""

from typing import Any

import pytest
from referee_api.v1 import play_pb2
from referee_client import RESIGN, Choice
from referee_client.answers import checked
from referee_client.nonces import NONCE_BYTES, Nonces


@pytest.mark.parametrize("answer", ["a1-b2", RESIGN, Choice("a1-b2", offer_draw=True, score=-35)])
def test_a_valid_answer_is_returned(answer: Any) -> None:
    assert checked(answer) is answer


@pytest.mark.parametrize("score", [float("nan"), 0.5, "x", True])
def test_the_error_of_a_wrong_score_names_the_score(score: Any) -> None:
    with pytest.raises(TypeError, match=rf"^the score of a Choice must be a whole number .*, not {score!r}$"):
        checked(Choice("a1-b2", score=score))


@pytest.mark.parametrize("answer", [None, 3, Choice(b"a1-b2")])  # type: ignore[arg-type]  # As untyped bots do.
def test_the_error_of_another_answer_names_what_can_be_returned(answer: Any) -> None:
    with pytest.raises(TypeError, match=r"^a bot must return a move, a Choice, RESIGN"):
        checked(answer)


@pytest.mark.parametrize("invalid", ["text", None])
def test_a_random_nonce_replaces_one_of_another_type(caplog: pytest.LogCaptureFixture, invalid: Any) -> None:
    nonces = Nonces(lambda _match_id, _seat: invalid)
    assert len(nonces.on_request(play_pb2.NonceRequest(match_id="m")).nonce.nonce) == NONCE_BYTES
    assert "a random one is sent" in caplog.text
