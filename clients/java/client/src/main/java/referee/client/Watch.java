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
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a log, over as many calls as it takes.
 *
 * @param <M> the messages of a call
 * @param <E> the entries
 */
final class Watch<M, E> implements Iterator<E>, AutoCloseable {
    private final Context.CancellableContext context = Context.current().withCancellation();
    private final Log<M, E> log;
    private final BooleanSupplier isClosed;
    private final Retries retries;
    private final Queue<E> ready = new ArrayDeque<>();
    private long after;

    /** The current call; null if there is none. */
    private @Nullable Iterator<M> call;

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

    /**
     * @param isClosed whether the connection is closed, after which no call succeeds
     */
    Watch(Log<M, E> log, long after, BooleanSupplier isClosed, Retries.Pause pause) {
        this.log = log;
        this.isClosed = isClosed;
        retries = new Retries(pause);
        this.after = after;
    }

    /** Returns the entries after a number. Closing the stream ends the call. */
    static <M, E> Stream<E> stream(Log<M, E> log, long after, BooleanSupplier isClosed) {
        Watch<M, E> watch = new Watch<>(log, after, isClosed, Thread::sleep);
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
                if (context.isCancelled()
                        || isClosed.getAsBoolean()
                        || !isInterruption(e.getStatus())) {
                    close();
                    throw Calls.failure(e);
                }
                call = null;
                pause(Calls.failure(e));
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

    private void pause(CallException interruption) {
        try {
            retries.pause(interruption);
        } catch (CallException e) {
            close();
            throw e;
        }
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
                            retries.reset();
                        });
        return true;
    }

    /** Whether the call may be made again. A watcher that is too slow gets RESOURCE_EXHAUSTED. */
    private static boolean isInterruption(Status status) {
        return switch (status.getCode()) {
            case UNAVAILABLE, UNKNOWN, INTERNAL, RESOURCE_EXHAUSTED -> true;
            default -> false;
        };
    }
}
