package referee.client;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import referee.api.v1.BotItem;
import referee.api.v1.PlayRequest;
import referee.api.v1.PlayResponse;
import referee.api.v1.PlayServiceGrpc;
import referee.api.v1.RefereeItem;

/** One stream from Hello to its end, over its own connection. All of it runs on one thread. */
final class Session implements ClientResponseObserver<PlayRequest, PlayResponse> {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** The default {@code heartbeat_timeout_ms} of a referee. */
    private static final long WELCOME_WITHIN_MS = 15_000;

    /** Receives what the referee sends. */
    interface Listener {
        void hear(RefereeItem said);

        void ended(Status status);
    }

    private final Listener listener;
    private final ScheduledExecutorService thread;
    private final ManagedChannel channel;
    private final List<BotItem> toSay = new ArrayList<>();
    private ClientCallStreamObserver<PlayRequest> call;
    private boolean writeComing;
    private long maxSilenceMs = WELCOME_WITHIN_MS;
    private ScheduledFuture<?> silence;

    /**
     * Opens the stream.
     *
     * @param channel is the session's own, and closed at its end
     * @param thread on which the listener is told, and on which alone anything may be said
     */
    Session(
            ManagedChannel channel,
            String token,
            ScheduledExecutorService thread,
            Listener listener) {
        this.channel = channel;
        this.thread = thread;
        this.listener = listener;
        awaitSilence();
        Metadata bearer = new Metadata();
        bearer.put(AUTHORIZATION, "Bearer " + token);
        PlayServiceGrpc.newStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(bearer))
                .play(this);
    }

    /** Queues an item. Items that are queued while others are being sent go into one message. */
    void say(BotItem item) {
        toSay.add(item);
        if (!writeComing) {
            writeComing = true;
            thread.execute(this::write);
        }
    }

    /** Sets the longest time for which the referee may be silent. */
    void welcomed(long maxSilenceMs) {
        if (maxSilenceMs > 0) {
            this.maxSilenceMs = maxSilenceMs;
            awaitSilence();
        }
    }

    /** Detects a connection that is dead without either end having noticed. */
    private void awaitSilence() {
        if (silence != null) {
            silence.cancel(false);
        }
        BigDecimal seconds = BigDecimal.valueOf(maxSilenceMs, 3).stripTrailingZeros();
        String why = "nothing was received for %s s".formatted(seconds.toPlainString());
        silence = thread.schedule(() -> call.cancel(why, null), maxSilenceMs, MILLISECONDS);
    }

    void hangUp() {
        silence.cancel(false);
        channel.shutdownNow();
    }

    /** Waits until the referee can have noticed that the bot has closed the stream. */
    void awaitEnd() throws InterruptedException {
        channel.awaitTermination(1, SECONDS);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<PlayRequest> opened) {
        call = opened;
        call.setOnReadyHandler(this::write);
    }

    @Override
    public void onNext(PlayResponse heard) {
        awaitSilence();
        heard.getItemsList().forEach(listener::hear);
    }

    @Override
    public void onError(Throwable why) {
        end(Status.fromThrowable(why));
    }

    @Override
    public void onCompleted() {
        end(Status.OK.withDescription("the stream has ended"));
    }

    private void end(Status status) {
        hangUp();
        listener.ended(status);
    }

    private void write() {
        writeComing = false;
        if (call.isReady() && !toSay.isEmpty()) {
            call.onNext(PlayRequest.newBuilder().addAllItems(toSay).build());
            toSay.clear();
        }
    }
}
