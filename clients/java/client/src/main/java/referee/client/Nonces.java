package referee.client;

import com.google.protobuf.ByteString;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import referee.api.v1.BotItem;
import referee.api.v1.Nonce;
import referee.api.v1.NonceRequest;
import referee.api.v1.SeatNonce;
import referee.api.v1.SeedCommitment;

/**
 * The bot's nonces, and the check at the end of each match that the referee used them.
 *
 * <p>Before a match the referee commits to its seed, and at the end it publishes the seed and the
 * nonces from which all draws follow. If they do not fit, somebody has chosen the draws, which
 * nobody but the bot can notice.
 */
final class Nonces {
    static final int NONCE_BYTES = 32;
    static final int MAX_NONCE_BYTES = 64;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final NonceChooser choose;
    private final Consumer<String> report;
    private final Map<String, Contribution> byMatch = new HashMap<>();

    /** What is known about the seed of one match before its end; nonces by the requested seat. */
    private record Contribution(ByteString commitment, Map<Integer, ByteString> nonces) {}

    Nonces(NonceChooser choose, Consumer<String> report) {
        this.choose = choose;
        this.report = report;
    }

    static byte[] randomNonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /**
     * Returns the nonce. A repeated request gets the same one, since the referee may have it
     * already.
     */
    BotItem onRequest(NonceRequest request) {
        Contribution known = keepCommitment(request.getMatchId(), request.getCommitment());
        ByteString nonce = known.nonces.computeIfAbsent(request.getSeat(), seat -> chosen(request));
        return BotItem.newBuilder()
                .setNonce(
                        Nonce.newBuilder()
                                .setMatchId(request.getMatchId())
                                .setSeat(request.getSeat())
                                .setNonce(nonce))
                .build();
    }

    void onMatchStarted(String matchId, SeedCommitment announced) {
        keepCommitment(matchId, announced.getCommitment());
    }

    /**
     * Checks the seed once for each match: a bot in several seats is told of the end for each of
     * them.
     */
    void onMatchEnded(String matchId, SeedCommitment published) {
        Contribution known = byMatch.remove(matchId);
        if (known != null && !published.getCommitment().isEmpty()) {
            problems(known, published).forEach(problem -> report(matchId, problem));
        }
    }

    /** Returns what is known about the match. The first commitment counts. */
    private Contribution keepCommitment(String matchId, ByteString commitment) {
        Contribution known =
                byMatch.computeIfAbsent(
                        matchId, id -> new Contribution(commitment, new TreeMap<>()));
        if (!known.commitment.equals(commitment)) {
            report(matchId, "the referee has replaced its commitment to the seed");
        }
        return known;
    }

    private ByteString chosen(NonceRequest request) {
        try {
            byte[] nonce = choose.choose(request.getMatchId(), request.getSeat());
            if (nonce.length <= MAX_NONCE_BYTES) {
                return ByteString.copyFrom(nonce);
            }
            report.accept(
                    "a nonce has at most %d bytes; a random one is sent"
                            .formatted(MAX_NONCE_BYTES));
        } catch (RuntimeException e) {
            report.accept("the bot failed to choose a nonce, and a random one is sent: " + e);
        }
        return ByteString.copyFrom(randomNonce());
    }

    private void report(String matchId, String problem) {
        report.accept("match %s: %s".formatted(matchId, problem));
    }

    /**
     * Returns what does not fit. The seed is checked if it is published, which duplicate play
     * delays.
     */
    private static List<String> problems(Contribution known, SeedCommitment published) {
        List<String> problems = new ArrayList<>();
        if (!published.getCommitment().equals(known.commitment)) {
            problems.add("the referee has replaced its commitment to the seed");
        }
        ByteString seed = published.getSeed();
        if (!seed.isEmpty() && !sha256(seed).equals(known.commitment)) {
            problems.add("the seed of the referee does not match its commitment");
        }
        Map<Integer, ByteString> used =
                published.getNoncesList().stream()
                        .collect(Collectors.toMap(SeatNonce::getSeat, SeatNonce::getNonce));
        known.nonces.forEach(
                (seat, nonce) -> {
                    ByteString usedNonce = used.getOrDefault(seat, ByteString.EMPTY);
                    if (!usedNonce.equals(nonce)) {
                        problems.add(
                                (usedNonce.isEmpty()
                                                ? "the seed was made without the nonce of seat %d:"
                                                        + " it was late, or the referee ignored it"
                                                : "the seed was made with another nonce of seat %d"
                                                        + " than the one that was sent")
                                        .formatted(seat));
                    }
                });
        return problems;
    }

    static ByteString sha256(ByteString bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray());
            return ByteString.copyFrom(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // Every Java platform has SHA-256.
        }
    }
}
