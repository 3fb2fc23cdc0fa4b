package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class RetriesTest {
    private final List<Long> pauses = new ArrayList<>();
    private boolean isClosed;

    private static StatusRuntimeException failure(Status.Code code, String retryAfterMs) {
        ErrorInfo info =
                ErrorInfo.newBuilder()
                        .setReason("SOME_REASON")
                        .putMetadata("retry_after_ms", retryAfterMs)
                        .build();
        return StatusProto.toStatusRuntimeException(
                com.google.rpc.Status.newBuilder()
                        .setCode(code.value())
                        .addDetails(Any.pack(info))
                        .build());
    }

    /** Repeats attempts that fail with these errors first. */
    private String repeat(StatusRuntimeException... failures) {
        Queue<StatusRuntimeException> left = new ArrayDeque<>(List.of(failures));
        return Retries.repeat(
                () -> {
                    if (!left.isEmpty()) {
                        throw left.remove();
                    }
                    return "done";
                },
                () -> isClosed,
                pauses::add);
    }

    @Test
    void thePauseIsWhatTheServerAsksFor() {
        assertEquals(
                "done",
                repeat(
                        failure(Status.Code.UNAVAILABLE, "1500"),
                        failure(Status.Code.RESOURCE_EXHAUSTED, "20000")));
        assertEquals(List.of(1_500L, 20_000L), pauses);
    }

    @Test
    void aTimeThatIsNoNumberOfMillisecondsIsASecond() {
        repeat(
                failure(Status.Code.UNAVAILABLE, "soon"),
                failure(Status.Code.UNAVAILABLE, "60001"),
                failure(Status.Code.UNAVAILABLE, "99999999999999999999"));
        assertEquals(List.of(1_000L, 1_000L, 1_000L), pauses);
    }

    @Test
    void ifTheServerAsksForNonePausesBecomeLonger() {
        repeat(
                Status.UNAVAILABLE.asRuntimeException(),
                failure(Status.Code.UNAVAILABLE, "0"),
                Status.UNAVAILABLE.asRuntimeException());
        assertEquals(3, pauses.size());
        for (int i = 0; i < 3; i++) {
            long middle = 500L << i;
            assertTrue(pauses.get(i) >= middle / 2 && pauses.get(i) <= middle * 3 / 2, "" + pauses);
        }
    }

    @Test
    void aRejectionIsFinal() {
        CallException thrown =
                assertThrows(
                        CallException.class,
                        () -> repeat(Status.NOT_FOUND.withDescription("no").asRuntimeException()));
        assertEquals(new RefereeError("NOT_FOUND", "no"), thrown.error());
        assertEquals(List.of(), pauses);
    }

    @Test
    void theFifthFailureIsFinal() {
        StatusRuntimeException failure = failure(Status.Code.UNAVAILABLE, "1");
        assertThrows(
                CallException.class, () -> repeat(failure, failure, failure, failure, failure));
        assertEquals(List.of(1L, 1L, 1L, 1L), pauses);
    }

    @Test
    void aCallOfAClosedConnectionIsNotRepeated() {
        isClosed = true;
        assertThrows(CallException.class, () -> repeat(Status.UNAVAILABLE.asRuntimeException()));
        assertEquals(List.of(), pauses);
    }

    @Test
    void anInterruptedPauseEndsWithTheError() {
        CallException thrown =
                assertThrows(
                        CallException.class,
                        () ->
                                Retries.repeat(
                                        () -> {
                                            throw Status.UNAVAILABLE.asRuntimeException();
                                        },
                                        () -> false,
                                        ms -> {
                                            throw new InterruptedException();
                                        }));
        assertEquals("UNAVAILABLE", thrown.error().reason());
        assertTrue(Thread.interrupted());
    }
}
