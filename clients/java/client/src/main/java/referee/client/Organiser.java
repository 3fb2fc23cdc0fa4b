package referee.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Makes calls of the contract with the token and the connection of a {@link Client.Builder}.
 *
 * <p>Methods, requests and responses are those of the artifact {@code referee-api}. While the
 * server cannot be reached or asks for a pause, a call is made up to five times, with the same
 * request id, so that nothing is created twice. The methods wait for the server, may be called on
 * several threads at once, and throw a {@link CallException} if the call fails for good.
 */
public final class Organiser implements AutoCloseable {
    private static final long TIMEOUT_S = 60;
    private static final int MAX_ATTEMPTS = 5;

    private final ManagedChannel connection;
    private final Channel channel;

    Organiser(Settings settings) {
        // Pings find a dead connection while a call is open: a stream may be silent for hours.
        connection =
                settings.channelBuilder()
                        .keepAliveTime(20, TimeUnit.SECONDS)
                        .keepAliveTimeout(10, TimeUnit.SECONDS)
                        .build();
        channel =
                ClientInterceptors.intercept(
                        connection,
                        MetadataUtils.newAttachHeadersInterceptor(
                                Session.bearer(settings.token())));
    }

    /** Closes the connection, which ends all calls. */
    @Override
    public void close() {
        connection.shutdownNow();
    }

    /**
     * Makes a call with one response, which may take a minute.
     *
     * @param <Q> the request
     * @param <R> the response
     * @param method the method, such as {@code MatchServiceGrpc.getCreateMatchMethod()}
     * @param request the request; if it has a request id that is empty, a new id is set
     * @return the response
     */
    public <Q extends Message, R extends Message> R call(MethodDescriptor<Q, R> method, Q request) {
        FieldDescriptor id = request.getDescriptorForType().findFieldByName("request_id");
        Q identified =
                id == null || !request.getField(id).equals("")
                        ? request
                        : with(request, "request_id", UUID.randomUUID().toString());
        return repeat(
                () -> {
                    CallOptions options =
                            CallOptions.DEFAULT.withDeadlineAfter(TIMEOUT_S, TimeUnit.SECONDS);
                    return ClientCalls.blockingUnaryCall(channel, method, options, identified);
                });
    }

    /**
     * Reads a finite stream, such as a record, from its beginning again if it breaks.
     *
     * @param <Q> the request
     * @param <R> the responses
     * @param method the method, such as {@code MatchServiceGrpc.getGetRecordMethod()}
     * @param request the request
     * @return all responses
     */
    public <Q extends Message, R extends Message> List<R> read(
            MethodDescriptor<Q, R> method, Q request) {
        return repeat(
                () -> {
                    List<R> responses = new ArrayList<>();
                    open(method, request).forEachRemaining(responses::add);
                    return responses;
                });
    }

    /**
     * Returns all pages of a list. The first one is read at once, the others when they are needed.
     *
     * @param <Q> the request
     * @param <R> the pages
     * @param method the method, such as {@code LadderServiceGrpc.getListLaddersMethod()}
     * @param request the request for the first page
     * @return the pages
     */
    public <Q extends Message, R extends Message> Stream<R> pages(
            MethodDescriptor<Q, R> method, Q request) {
        return Stream.iterate(
                call(method, request),
                Objects::nonNull,
                page -> {
                    Object token = field(page, "next_page_token");
                    return token.equals("")
                            ? null
                            : call(method, with(request, "page_token", token));
                });
    }

    /**
     * Watches a match or a contest until it is over. After an interruption, the watch continues
     * after the last entry. An interruption of the thread ends it with an error.
     *
     * @param <Q> the request
     * @param <R> the responses
     * @param method the method, such as {@code MatchServiceGrpc.getWatchMatchMethod()}
     * @param request the request; without {@code after_number}, only new entries are watched
     * @param onResponse gets the responses, which have each entry once and in order, and returns
     *     whether the watch continues
     */
    public <Q extends Message, R extends Message> void watch(
            MethodDescriptor<Q, R> method, Q request, Predicate<? super R> onResponse) {
        Backoff backoff = new Backoff();
        Q next = request;
        for (; ; ) {
            Context.CancellableContext context = Context.current().withCancellation();
            Context outer = context.attach();
            try {
                Iterator<R> responses = open(method, next);
                while (responses.hasNext()) {
                    R response = responses.next();
                    for (Object item : (List<?>) field(response, "items")) {
                        Message entry = (Message) field((Message) item, "entry");
                        if (!entry.equals(entry.getDefaultInstanceForType())) {
                            next = with(next, "after_number", field(entry, "number"));
                            backoff = new Backoff();
                        }
                    }
                    if (!onResponse.test(response)) {
                        return;
                    }
                }
                return;
            } catch (StatusRuntimeException e) {
                pause(backoff, e, isInterruption(e.getStatus().getCode()));
            } finally {
                context.detachAndCancel(outer, null);
            }
        }
    }

    private <Q, R> Iterator<R> open(MethodDescriptor<Q, R> method, Q request) {
        return ClientCalls.blockingServerStreamingCall(
                channel, method, CallOptions.DEFAULT, request);
    }

    /** Makes attempts, five at most, until one succeeds or fails for good. */
    private <T> T repeat(Supplier<T> attempt) {
        Backoff backoff = new Backoff();
        for (int attempts = 1; ; attempts++) {
            try {
                return attempt.get();
            } catch (StatusRuntimeException e) {
                boolean temporary =
                        e.getStatus().getCode() == Status.Code.UNAVAILABLE
                                || failure(e).error().retryAfterMs().isPresent();
                pause(backoff, e, temporary && attempts < MAX_ATTEMPTS);
            }
        }
    }

    /** Whether a watch may continue. A watcher that is too slow gets RESOURCE_EXHAUSTED. */
    private static boolean isInterruption(Status.Code code) {
        return switch (code) {
            case UNAVAILABLE, UNKNOWN, INTERNAL, RESOURCE_EXHAUSTED -> true;
            default -> false;
        };
    }

    /** Waits as long as the server asks, or else as the backoff says. Throws a final failure. */
    private void pause(Backoff backoff, StatusRuntimeException e, boolean temporary) {
        CallException failure = failure(e);
        if (!temporary || connection.isShutdown()) {
            throw failure;
        }
        long ms = failure.error().retryAfterMs().orElse(0);
        double random = ThreadLocalRandom.current().nextDouble();
        try {
            Thread.sleep(
                    ms > 0 ? ms : backoff.nextMs(System.nanoTime() / 1_000_000, false, random));
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }

    private static CallException failure(StatusRuntimeException e) {
        Metadata trailers = Optional.ofNullable(e.getTrailers()).orElseGet(Metadata::new);
        return new CallException(Conversions.error(e.getStatus(), trailers), e);
    }

    private static Object field(Message message, String name) {
        return message.getField(message.getDescriptorForType().findFieldByName(name));
    }

    @SuppressWarnings("unchecked") // The builder of a message builds messages of its type.
    private static <M extends Message> M with(M message, String name, Object value) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
        return (M) message.toBuilder().setField(field, value).build();
    }
}
