package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import referee.api.v1.Ending;
import referee.api.v1.ErrorDetail;
import referee.api.v1.ErrorReason;
import referee.api.v1.Forfeit;
import referee.api.v1.ForfeitCause;
import referee.api.v1.ForfeitedResult;
import referee.api.v1.MatchEnded;
import referee.api.v1.PlayedResult;
import referee.api.v1.Rules;
import referee.api.v1.SeatMove;
import referee.api.v1.SeatResult;
import referee.api.v1.VoidCause;
import referee.api.v1.VoidResult;

class ConversionsTest {
    @Test
    void aTurnHasWhatTheRefereeSent() {
        referee.api.v1.Clock clock =
                referee.api.v1.Clock.newBuilder()
                        .setSeat(1)
                        .setRunning(true)
                        .setTimeLeftUs(1_500_000)
                        .setMainUs(1_000_000)
                        .setPeriodUs(500_000)
                        .setPeriodsLeft(3)
                        .setMovesLeft(4)
                        .build();
        referee.api.v1.Turn message =
                referee.api.v1.Turn.newBuilder()
                        .setMatchId("m1")
                        .setSeat(1)
                        .setTurnToken("t1")
                        .setPly(7)
                        .setPosition("p")
                        .setViewJson("{}")
                        .addMoveHistory(SeatMove.newBuilder().setMove("x"))
                        .addLegalMoves("a")
                        .setLegalMovesTruncated(true)
                        .addClocks(referee.api.v1.Clock.getDefaultInstance())
                        .addClocks(clock)
                        .setTimeLeftMs(-1)
                        .setAttemptsLeft(2)
                        .addDrawOfferSeats(0)
                        .setSimultaneous(true)
                        .setRepeated(true)
                        .build();
        Rules rules = Rules.newBuilder().setGame("troke").putOptions("huff", "true").build();
        Turn turn = Conversions.turn(message, rules);
        assertEquals("m1 1 t1", turn.matchId() + " " + turn.seat() + " " + turn.token());
        assertEquals("troke", turn.game());
        assertEquals(Map.of("huff", "true"), turn.options());
        assertEquals("7 p {}", turn.ply() + " " + turn.position() + " " + turn.view());
        assertEquals(List.of(new PlayedMove(0, "x")), turn.history());
        assertEquals(List.of("a"), turn.legalMoves());
        Duration second = Duration.ofSeconds(1);
        Duration half = Duration.ofMillis(500);
        Clock none = new Clock(0, false, Optional.empty(), Duration.ZERO, Duration.ZERO, 0, 0);
        Clock timed = new Clock(1, true, Optional.of(second.plus(half)), second, half, 3, 4);
        assertEquals(List.of(none, timed), turn.clocks());
        assertEquals(Optional.of(Duration.ZERO), turn.timeLeft());
        assertEquals(2, turn.attemptsLeft());
        assertEquals(List.of(0), turn.drawOffers());
        assertTrue(turn.legalMovesTruncated() && turn.simultaneous() && turn.repeated());
        assertEquals(Optional.empty(), turn.rejection());
    }

    private static End end(referee.api.v1.Result.Builder result) {
        result.addSeats(SeatResult.newBuilder().setScore(1).setRank(1));
        result.addSeats(SeatResult.newBuilder().setSeat(1).setRank(2));
        return Conversions.end(
                MatchEnded.newBuilder().setMatchId("m1").setSeat(1).setResult(result).build());
    }

    private static End counted(Result.Kind kind, String reason) {
        return new End("m1", 1, new Result(kind, reason, List.of(1.0, 0.0), List.of(1, 2)));
    }

    private static End voided(String reason) {
        return new End("m1", 1, new Result(Result.Kind.VOID, reason, List.of(), List.of()));
    }

    @Test
    void anEndIsReadFromEachKindOfResult() {
        PlayedResult rules = PlayedResult.newBuilder().setReason("no_moves").build();
        PlayedResult draw = PlayedResult.newBuilder().setEnding(Ending.ENDING_DRAW_AGREED).build();
        assertEquals(
                counted(Result.Kind.PLAYED, "no_moves"),
                end(referee.api.v1.Result.newBuilder().setPlayed(rules)));
        assertEquals(
                counted(Result.Kind.PLAYED, "draw_agreed"),
                end(referee.api.v1.Result.newBuilder().setPlayed(draw)));
        Forfeit.Builder forfeit =
                Forfeit.newBuilder().setCause(ForfeitCause.FORFEIT_CAUSE_ILLEGAL_MOVE);
        ForfeitedResult forfeited = ForfeitedResult.newBuilder().addForfeits(forfeit).build();
        assertEquals(
                counted(Result.Kind.FORFEITED, "illegal_move"),
                end(referee.api.v1.Result.newBuilder().setForfeited(forfeited)));
        VoidResult aborted = VoidResult.newBuilder().setCause(VoidCause.VOID_CAUSE_ABORTED).build();
        VoidResult newer = VoidResult.newBuilder().setCauseValue(99).build();
        assertEquals(voided("aborted"), end(referee.api.v1.Result.newBuilder().setVoided(aborted)));
        assertEquals(voided("99"), end(referee.api.v1.Result.newBuilder().setVoided(newer)));
        assertEquals(voided(""), end(referee.api.v1.Result.newBuilder()));
    }

    @Test
    void anErrorInTheStreamHasTheNameOfItsReason() {
        ErrorDetail.Builder error = ErrorDetail.newBuilder().setMessage("no");
        error.setReason(ErrorReason.ERROR_REASON_ILLEGAL_MOVE);
        assertEquals("no (ILLEGAL_MOVE)", Conversions.error(error.build()).toString());
        error.setReasonValue(9_999);
        assertEquals("9999", Conversions.error(error.build()).reason());
    }

    @Test
    void aStatusWithAnErrorInfoHasItsReasonAndMetadata() {
        ErrorInfo info =
                ErrorInfo.newBuilder().setReason("BAD_TOKEN").putMetadata("bot", "anna").build();
        StatusRuntimeException thrown =
                StatusProto.toStatusRuntimeException(
                        com.google.rpc.Status.newBuilder()
                                .setCode(Status.Code.UNAUTHENTICATED.value())
                                .setMessage("no")
                                .addDetails(Any.pack(SeatMove.getDefaultInstance()))
                                .addDetails(Any.pack(info))
                                .build());
        assertEquals(
                new RefereeError("BAD_TOKEN", "no", Map.of("bot", "anna")),
                Conversions.error(thrown.getStatus(), thrown.getTrailers()));
    }

    @Test
    void aStatusWithoutDetailsHasTheNameOfItsCode() {
        Status status = Status.PERMISSION_DENIED.withDescription("no");
        assertEquals(
                new RefereeError("PERMISSION_DENIED", "no"),
                Conversions.error(status, new Metadata()));
    }
}
