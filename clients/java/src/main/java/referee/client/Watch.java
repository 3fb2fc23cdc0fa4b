package referee.client;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import referee.api.v1.MatchServiceGrpc.MatchServiceBlockingStub;
import referee.api.v1.WatchMatchRequest;
import referee.api.v1.WatchMatchResponse;

/** The entries of a match, over as many calls as it takes. */
final class Watch implements Iterator<Entry>, AutoCloseable {
    private final Context.CancellableContext context = Context.current().withCancellation();
    private final MatchServiceBlockingStub matches;
    private final Pause pause;
    private final String matchId;
    private final Queue<Entry> ready = new ArrayDeque<>();
    private long after;
    private Backoff backoff = new Backoff();

    /** The current call; null if there is none. */
    private Iterator<WatchMatchResponse> call;

    /** Waits for a number of milliseconds. */
    interface Pause {
        void of(long ms) throws InterruptedException;
    }

    Watch(MatchServiceBlockingStub matches, String matchId, long after, Pause pause) {
        this.matches = matches;
        this.pause = pause;
        this.matchId = matchId;
        this.after = after;
    }

    @Override
    public boolean hasNext() {
        while (ready.isEmpty()) {
            try {
                if (!receive()) {
                    close();
                    return false;
                }
            } catch (StatusRuntimeException e) {
                if (context.isCancelled() || !isInterruption(e.getStatus())) {
                    close();
                    throw Organiser.failure(e);
                }
                call = null;
                pause(e);
            }
        }
        return true;
    }

    @Override
    public Entry next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return ready.remove();
    }

    /** Ends the call. */
    @Override
    public void close() {
        context.cancel(null);
    }

    /** Receives the next message. Returns false if the match is over. */
    private boolean receive() throws StatusRuntimeException {
        if (call == null) {
            WatchMatchRequest.Builder request =
                    WatchMatchRequest.newBuilder().setMatchId(matchId).setAfterNumber(after);
            Context outer = context.attach();
            try {
                call = matches.watchMatch(request.build());
            } finally {
                context.detach(outer);
            }
        }
        if (!call.hasNext()) {
            return false;
        }
        for (var item : call.next().getItemsList()) {
            if (item.hasEntry()) {
                after = item.getEntry().getNumber();
                ready.add(Conversions.entry(item.getEntry()));
                backoff = new Backoff();
            }
        }
        return true;
    }

    private void pause(StatusRuntimeException interruption) {
        double random = ThreadLocalRandom.current().nextDouble();
        try {
            pause.of(backoff.nextMs(System.nanoTime() / 1_000_000, random));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw Organiser.failure(interruption);
        }
    }

    /** Whether the call may be made again. A watcher that is too slow gets RESOURCE_EXHAUSTED. */
    private static boolean isInterruption(Status status) {
        return switch (status.getCode()) {
            case UNAVAILABLE, UNKNOWN, INTERNAL, RESOURCE_EXHAUSTED -> true;
            default -> false;
        };
    }
}
