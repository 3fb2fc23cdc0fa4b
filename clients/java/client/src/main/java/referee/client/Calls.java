package referee.client;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import referee.api.v1.BotServiceGrpc;
import referee.api.v1.BotServiceGrpc.BotServiceBlockingStub;
import referee.api.v1.LadderServiceGrpc;
import referee.api.v1.LadderServiceGrpc.LadderServiceBlockingStub;
import referee.api.v1.MatchServiceGrpc;
import referee.api.v1.MatchServiceGrpc.MatchServiceBlockingStub;
import referee.api.v1.TournamentServiceGrpc;
import referee.api.v1.TournamentServiceGrpc.TournamentServiceBlockingStub;

/** The connection of an organiser, and what its calls have in common. */
final class Calls {
    /** The most that a page of a list has. */
    static final int PAGE_SIZE = 1_000;

    private final Settings settings;
    private final ManagedChannel channel;

    Calls(Settings settings) {
        this.settings = settings;
        // Pings find a dead connection while a call is open: a stream may be silent for hours.
        channel =
                settings.channelBuilder()
                        .keepAliveTime(20, TimeUnit.SECONDS)
                        .keepAliveTimeout(10, TimeUnit.SECONDS)
                        .build();
    }

    void close() {
        channel.shutdownNow();
    }

    BotServiceBlockingStub bots() {
        return authorised(BotServiceGrpc.newBlockingStub(channel));
    }

    MatchServiceBlockingStub matches() {
        return authorised(MatchServiceGrpc.newBlockingStub(channel));
    }

    TournamentServiceBlockingStub tournaments() {
        return authorised(TournamentServiceGrpc.newBlockingStub(channel));
    }

    LadderServiceBlockingStub ladders() {
        return authorised(LadderServiceGrpc.newBlockingStub(channel));
    }

    private <S extends AbstractStub<S>> S authorised(S stub) {
        return stub.withInterceptors(
                MetadataUtils.newAttachHeadersInterceptor(Session.bearer(settings.token())));
    }

    static String requestId() {
        return UUID.randomUUID().toString();
    }

    /**
     * Makes a call, again if it fails for a moment. A retry sends the same request, with the same
     * request id.
     */
    <T> T call(Supplier<T> call) {
        return Retries.repeat(call, channel::isShutdown, Thread::sleep);
    }

    /** Returns the entries of a log after a number. The stream ends with an error after `close`. */
    <M, E> Stream<E> watch(Watch.Log<M, E> log, long after) {
        return Watch.stream(log, after, channel::isShutdown);
    }

    static CallException failure(StatusRuntimeException e) {
        Status status = e.getStatus();
        Metadata trailers = e.getTrailers() == null ? new Metadata() : e.getTrailers();
        return new CallException(Conversions.error(status, trailers), e);
    }

    /**
     * Returns the items of all pages. The first one is read at once, the others when they are
     * needed.
     *
     * @param read makes the call for the page with a token
     */
    <P, T> Stream<T> pages(
            Function<String, P> read, Function<P, String> nextToken, Function<P, List<T>> items) {
        Function<String, P> page = token -> call(() -> read.apply(token));
        return Stream.iterate(
                        page.apply(""),
                        Objects::nonNull,
                        last -> {
                            String token = nextToken.apply(last);
                            return token.isEmpty() ? null : page.apply(token);
                        })
                .flatMap(one -> items.apply(one).stream());
    }

    /** Returns the text that comes in parts, from its beginning again if one of them fails. */
    <M> String text(Supplier<Iterator<M>> parts, Function<M, String> text) {
        return call(
                () -> {
                    StringBuilder whole = new StringBuilder();
                    parts.get().forEachRemaining(part -> whole.append(text.apply(part)));
                    return whole.toString();
                });
    }
}
