package referee.client;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import referee.api.v1.AbortMatchRequest;
import referee.api.v1.BotRef;
import referee.api.v1.BotServiceGrpc;
import referee.api.v1.CreateMatchRequest;
import referee.api.v1.GetMatchRequest;
import referee.api.v1.GetRecordRequest;
import referee.api.v1.GetRecordResponse;
import referee.api.v1.MatchServiceGrpc;
import referee.api.v1.RegisterBotRequest;

/**
 * Makes the calls of organisers and watchers, see {@link Client.Builder#buildOrganiser}.
 *
 * <p>Its methods may be called on several threads at once, and wait for the server. They throw a
 * {@link CallException} if the server rejects a call.
 */
public final class Organiser implements AutoCloseable {
    private final Settings settings;
    private final ManagedChannel channel;

    Organiser(Settings settings) {
        this.settings = settings;
        channel = settings.channelBuilder().build();
    }

    /** Closes the connection. */
    @Override
    public void close() {
        channel.shutdownNow();
    }

    /**
     * Registers a bot.
     *
     * @param name the name of the bot
     * @param description what people may read about it
     * @return the first token of the bot, which is shown only once
     */
    public String registerBot(String name, String description) {
        RegisterBotRequest.Builder request =
                RegisterBotRequest.newBuilder()
                        .setRequestId(UUID.randomUUID().toString())
                        .setName(name)
                        .setDescription(description);
        BotServiceGrpc.BotServiceBlockingStub bots =
                authorised(BotServiceGrpc.newBlockingStub(channel));
        return call(() -> bots.registerBot(request.build()).getSecret());
    }

    /**
     * Creates a match. It begins when all of its bots are online.
     *
     * @param terms the terms
     * @param bots the bot of each seat, in order
     * @return the match
     */
    public Match createMatch(MatchTerms terms, String... bots) {
        CreateMatchRequest.Builder request =
                CreateMatchRequest.newBuilder()
                        .setRequestId(UUID.randomUUID().toString())
                        .setTerms(Conversions.terms(terms))
                        .setTitle(terms.title);
        for (String bot : bots) {
            request.addSeats(BotRef.newBuilder().setBot(bot));
        }
        return call(() -> Conversions.match(matches().createMatch(request.build()).getMatch()));
    }

    /**
     * Returns a match.
     *
     * @param id the id of the match
     * @return the match as it is now
     */
    public Match match(String id) {
        GetMatchRequest request = GetMatchRequest.newBuilder().setMatchId(id).build();
        return call(() -> Conversions.match(matches().getMatch(request).getMatch()));
    }

    /**
     * Ends a match, which is void then.
     *
     * @param id the id of the match
     * @param why the reason, for people
     */
    public void abortMatch(String id, String why) {
        AbortMatchRequest.Builder request =
                AbortMatchRequest.newBuilder()
                        .setRequestId(UUID.randomUUID().toString())
                        .setMatchId(id)
                        .setMessage(why);
        call(() -> matches().abortMatch(request.build()));
    }

    /**
     * Returns the entries of a match after a number, once and in order, until the match is over.
     *
     * <p>The stream waits for entries. After an interruption of the connection it goes on with the
     * next entry. It must be closed unless it is read to its end.
     *
     * @param id the id of the match
     * @param after the number of the last entry that is not wanted; 0: all are
     * @return the entries
     */
    public Stream<Entry> watch(String id, long after) {
        Watch watch = new Watch(matches(), id, after, Thread::sleep);
        int properties = Spliterator.ORDERED | Spliterator.NONNULL;
        Spliterator<Entry> entries = Spliterators.spliteratorUnknownSize(watch, properties);
        return StreamSupport.stream(entries, false).onClose(watch::close);
    }

    /**
     * Waits for the end of a match.
     *
     * @param id the id of the match
     * @return its result
     */
    public Result result(String id) {
        try (Stream<Entry> entries = watch(id, 0)) {
            return entries.flatMap(entry -> entry.result().stream()).findFirst().orElseThrow();
        }
    }

    /**
     * Returns the record of a match that is over.
     *
     * @param id the id of the match
     * @return a file with one line for each entry, which {@code referee verify} checks
     */
    public String record(String id) {
        GetRecordRequest request = GetRecordRequest.newBuilder().setMatchId(id).build();
        return call(
                () -> {
                    StringBuilder record = new StringBuilder();
                    Iterator<GetRecordResponse> parts = matches().getRecord(request);
                    while (parts.hasNext()) {
                        parts.next()
                                .getLinesList()
                                .forEach(line -> record.append(line).append('\n'));
                    }
                    return record.toString();
                });
    }

    private MatchServiceGrpc.MatchServiceBlockingStub matches() {
        return authorised(MatchServiceGrpc.newBlockingStub(channel));
    }

    private <S extends AbstractStub<S>> S authorised(S stub) {
        return stub.withInterceptors(
                MetadataUtils.newAttachHeadersInterceptor(Session.bearer(settings.token())));
    }

    private static <T> T call(Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException e) {
            throw failure(e);
        }
    }

    static CallException failure(StatusRuntimeException e) {
        Status status = e.getStatus();
        Metadata trailers = e.getTrailers() == null ? new Metadata() : e.getTrailers();
        return new CallException(Conversions.error(status, trailers), e);
    }
}
