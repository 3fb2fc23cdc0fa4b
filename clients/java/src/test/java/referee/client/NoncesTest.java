package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import referee.api.v1.Nonce;
import referee.api.v1.NonceRequest;
import referee.api.v1.SeatNonce;
import referee.api.v1.SeedCommitment;

class NoncesTest {
    private static final ByteString SEED = ByteString.copyFrom(new byte[32]);
    private static final ByteString OTHER = ByteString.copyFromUtf8("other");
    private static final String REPLACED =
            "match m1: the referee has replaced its commitment to the seed";
    private static final String WRONG_SEED =
            "match m1: the seed of the referee does not match its commitment";

    private final List<String> reports = new ArrayList<>();

    private Nonces nonces(Function<NonceRequest, byte[]> choose) {
        return new Nonces(choose, reports::add);
    }

    private static NonceRequest request(int seat) {
        return NonceRequest.newBuilder()
                .setMatchId("m1")
                .setSeat(seat)
                .setCommitment(Nonces.sha256(SEED))
                .build();
    }

    /** What a referee publishes that committed to one seed and revealed another. */
    private static SeedCommitment published(
            ByteString committed, ByteString revealed, String... nonces) {
        SeedCommitment.Builder published =
                SeedCommitment.newBuilder()
                        .setCommitment(Nonces.sha256(committed))
                        .setSeed(revealed);
        for (int seat = 0; seat < nonces.length; seat++) {
            ByteString nonce = ByteString.copyFromUtf8(nonces[seat]);
            published.addNonces(SeatNonce.newBuilder().setSeat(seat).setNonce(nonce));
        }
        return published.build();
    }

    @Test
    void eachRequestGetsARandomNonceAndARepeatedOneTheSameAgain() {
        Nonces nonces = nonces(request -> Nonces.randomNonce());
        Nonce first = nonces.onRequest(request(1)).getNonce();
        assertEquals("m1", first.getMatchId());
        assertEquals(1, first.getSeat());
        assertEquals(Nonces.NONCE_BYTES, first.getNonce().size());
        assertEquals(first, nonces.onRequest(request(1)).getNonce());
        assertNotEquals(first.getNonce(), nonces.onRequest(request(0)).getNonce().getNonce());
    }

    private void assertReported(SeedCommitment end, String... expected) {
        reports.clear();
        Nonces nonces = nonces(request -> "mine".getBytes());
        nonces.onRequest(request(0));
        nonces.onMatchStarted("m1", published(SEED, ByteString.EMPTY));
        nonces.onMatchEnded("m1", end);
        nonces.onMatchEnded("m1", end);
        assertEquals(List.of(expected), reports);
    }

    @Test
    void aSeedThatDoesNotFitIsReportedOnceAtTheEnd() {
        String without =
                "match m1: the seed was made without the nonce of seat 0: it was late, or the"
                        + " referee ignored it";
        String another =
                "match m1: the seed was made with another nonce of seat 0 than the one that was"
                        + " sent";
        assertReported(published(SEED, SEED, "mine", ""));
        assertReported(published(SEED, ByteString.EMPTY, "mine", ""));
        assertReported(SeedCommitment.getDefaultInstance());
        assertReported(published(SEED, OTHER, "mine", ""), WRONG_SEED);
        assertReported(published(OTHER, OTHER, "mine", ""), REPLACED, WRONG_SEED);
        assertReported(published(SEED, SEED, "", "theirs"), without);
        assertReported(published(SEED, SEED), without);
        assertReported(published(SEED, SEED, "theirs"), another);
    }

    @Test
    void theSeedOfAMatchWithoutNoncesIsCheckedToo() {
        Nonces nonces = nonces(request -> Nonces.randomNonce());
        nonces.onMatchStarted("m1", published(SEED, ByteString.EMPTY));
        nonces.onMatchEnded("m1", published(SEED, OTHER));
        assertEquals(List.of(WRONG_SEED), reports);
    }

    @Test
    void aRandomNonceReplacesAnInvalidOneOfTheBot() {
        List<Function<NonceRequest, byte[]>> invalid =
                List.of(
                        request -> new byte[Nonces.MAX_NONCE_BYTES + 1],
                        request -> null,
                        request -> {
                            throw new IllegalStateException("no idea");
                        });
        for (Function<NonceRequest, byte[]> choose : invalid) {
            reports.clear();
            Nonce sent = nonces(choose).onRequest(request(0)).getNonce();
            assertEquals(Nonces.NONCE_BYTES, sent.getNonce().size());
            assertTrue(reports.get(0).contains("a random one is sent"));
        }
    }
}
