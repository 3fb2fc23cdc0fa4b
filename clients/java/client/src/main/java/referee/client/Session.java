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
import org.jspecify.annotations.Nullable;
import referee.api.v1.BotItem;
import referee.api.v1.PlayRequest;
import referee.api.v1.PlayResponse;
import referee.api.v1.PlayServiceGrpc;
import referee.api.v1.RefereeItem;

/** One stream from Hello to its end, over its own connection. It is not thread-safe. */
final class Session implements ClientResponseObserver<PlayRequest, PlayResponse>, Connection {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** The heartbeat timeout until a Welcome says which one the referee uses. */
    static final long WELCOME_TIMEOUT_MS = 5_000;

    /** Receives the items of the referee, and the end of the stream. */
    interface Listener {
        void onItem(RefereeItem item);

        void onEnd(Status status, Metadata trailers);
    }

    private final Listener listener;
    private final ScheduledExecutorService executor;
    private final ManagedChannel channel;
    private final List<BotItem> outgoing = new ArrayList<>();
    private ClientCallStreamObserver<PlayRequest> call;
    private boolean writeScheduled;
    private boolean connected;
    private long heartbeatTimeoutMs = WELCOME_TIMEOUT_MS;
    private long receivedAtNs = System.nanoTime();
    private @Nullable ScheduledFuture<?> silenceTimer;

    /**
     * Opens the stream.
     *
     * @param channel is used by this session only, and closed at its end
     * @param executor has one thread; the listener is called on it, and so must be all methods
     */
    Session(
            ManagedChannel channel,
            String token,
            ScheduledExecutorService executor,
            Listener listener) {
        this.channel = channel;
        this.executor = executor;
        this.listener = listener;
        startSilenceTimer(heartbeatTimeoutMs);
        PlayServiceGrpc.newStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(bearer(token)))
                .play(this);
    }

    /** Returns the metadata that authorises a call. */
    static Metadata bearer(String token) {
        Metadata bearer = new Metadata();
        bearer.put(AUTHORIZATION, "Bearer " + token);
        return bearer;
    }

    /** Queues an item. Items that are queued while others are being sent go into one message. */
    @Override
    public void send(BotItem item) {
        outgoing.add(item);
        if (!writeScheduled) {
            writeScheduled = true;
            executor.execute(this::write);
        }
    }

    /** Sets the longest time without a message from the referee. */
    @Override
    public void setHeartbeatTimeout(long heartbeatTimeoutMs) {
        this.heartbeatTimeoutMs = heartbeatTimeoutMs;
        silenceTimer.cancel(false); // It may fire too late now.
        checkSilence();
    }

    /**
     * Ends the stream if nothing was received for too long: the connection may be dead without
     * either end having noticed. Otherwise, it looks again when that could be the case. A timer for
     * each message would leave thousands of cancelled ones with the executor.
     */
    private void checkSilence() {
        long silenceMs = (System.nanoTime() - receivedAtNs) / 1_000_000;
        if (silenceMs < heartbeatTimeoutMs) {
            startSilenceTimer(heartbeatTimeoutMs - silenceMs);
        } else {
            BigDecimal seconds = BigDecimal.valueOf(heartbeatTimeoutMs, 3).stripTrailingZeros();
            call.cancel("nothing was received for %s s".formatted(seconds.toPlainString()), null);
        }
    }

    private void startSilenceTimer(long delayMs) {
        silenceTimer = executor.schedule(this::checkSilence, delayMs, MILLISECONDS);
    }

    @Override
    public void close() {
        silenceTimer.cancel(false);
        channel.shutdownNow();
    }

    /** Waits until the connection is closed, so that the referee notices it, or for a second. */
    @Override
    public void awaitClosed() throws InterruptedException {
        channel.awaitTermination(1, SECONDS);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<PlayRequest> requests) {
        call = requests;
        call.setOnReadyHandler(this::write);
    }

    @Override
    public void onNext(PlayResponse message) {
        receivedAtNs = System.nanoTime();
        connected = true;
        message.getItemsList().forEach(listener::onItem);
    }

    @Override
    public void onError(Throwable error) {
        Metadata trailers = Status.trailersFromThrowable(error);
        end(Status.fromThrowable(error), trailers == null ? new Metadata() : trailers);
    }

    @Override
    public void onCompleted() {
        end(Status.OK.withDescription("the stream has ended"), new Metadata());
    }

    private void end(Status status, Metadata trailers) {
        close();
        listener.onEnd(connected ? status : Conversions.withLikelyCause(status), trailers);
    }

    private void write() {
        writeScheduled = false;
        if (call.isReady() && !outgoing.isEmpty()) {
            call.onNext(PlayRequest.newBuilder().addAllItems(outgoing).build());
            outgoing.clear();
        }
    }
}
