package referee.client;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The entries of a log, over as many calls as it takes.
 *
 * @param <M> the messages of a call
 * @param <E> the entries
 */
final class Watch<M, E> implements Iterator<E>, AutoCloseable {
    private final Context.CancellableContext context = Context.current().withCancellation();
    private final Log<M, E> log;
    private final Pause pause;
    private final Queue<E> ready = new ArrayDeque<>();
    private long after;
    private Backoff backoff = new Backoff();

    /** The current call; null if there is none. */
    private Iterator<M> call;

    /**
     * What is watched.
     *
     * @param open makes a call for the entries after a number
     * @param entries returns the entries of a message
     * @param number returns the number of an entry
     */
    record Log<M, E>(
            LongFunction<Iterator<M>> open,
            Function<M, Stream<E>> entries,
            ToLongFunction<E> number) {}

    /** Waits for a number of milliseconds. */
    interface Pause {
        void of(long ms) throws InterruptedException;
    }

    Watch(Log<M, E> log, long after, Pause pause) {
        this.log = log;
        this.pause = pause;
        this.after = after;
    }

    /** Returns the entries after a number. Closing the stream ends the call. */
    static <M, E> Stream<E> stream(Log<M, E> log, long after) {
        Watch<M, E> watch = new Watch<>(log, after, Thread::sleep);
        int properties = Spliterator.ORDERED | Spliterator.NONNULL;
        Spliterator<E> entries = Spliterators.spliteratorUnknownSize(watch, properties);
        return StreamSupport.stream(entries, false).onClose(watch::close);
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
                    throw Calls.failure(e);
                }
                call = null;
                pause(e);
            }
        }
        return true;
    }

    @Override
    public E next() {
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

    /** Receives the next message. Returns false if the log is complete. */
    private boolean receive() throws StatusRuntimeException {
        if (call == null) {
            Context outer = context.attach();
            try {
                call = log.open().apply(after);
            } finally {
                context.detach(outer);
            }
        }
        if (!call.hasNext()) {
            return false;
        }
        log.entries()
                .apply(call.next())
                .forEachOrdered(
                        entry -> {
                            after = log.number().applyAsLong(entry);
                            ready.add(entry);
                            backoff = new Backoff();
                        });
        return true;
    }

    private void pause(StatusRuntimeException interruption) {
        double random = ThreadLocalRandom.current().nextDouble();
        try {
            pause.of(backoff.nextMs(System.nanoTime() / 1_000_000, random));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw Calls.failure(interruption);
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
