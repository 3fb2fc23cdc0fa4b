package referee.client;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import referee.api.v1.FromBot;
import referee.api.v1.FromReferee;
import referee.api.v1.PlayRequest;
import referee.api.v1.PlayResponse;
import referee.api.v1.PlayServiceGrpc;

/** One stream from Hello to its end, over a connection of its own. All of it runs on one thread. */
final class Session implements ClientResponseObserver<PlayRequest, PlayResponse> {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** Who listens to the referee. */
    interface Listener {
        void hear(FromReferee said);

        void ended(Status status);
    }

    private final Listener listener;
    private final Executor thread;
    private final ManagedChannel channel;
    private final List<FromBot> toSay = new ArrayList<>();
    private ClientCallStreamObserver<PlayRequest> call;
    private boolean writeComing;

    /**
     * Opens the stream.
     *
     * @param channel is the session's own, and closed at its end
     * @param thread on which the listener is told, and on which alone anything may be said
     */
    Session(ManagedChannel channel, String token, Executor thread, Listener listener) {
        this.channel = channel;
        this.thread = thread;
        this.listener = listener;
        Metadata bearer = new Metadata();
        bearer.put(AUTHORIZATION, "Bearer " + token);
        PlayServiceGrpc.newStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(bearer))
                .play(this);
    }

    /** What comes up while something else is on its way travels together. */
    void say(FromBot item) {
        toSay.add(item);
        if (!writeComing) {
            writeComing = true;
            thread.execute(this::write);
        }
    }

    void hangUp() {
        channel.shutdownNow();
    }

    /** Waits until the referee can have heard that the bot has hung up. */
    void awaitEnd() throws InterruptedException {
        channel.awaitTermination(1, TimeUnit.SECONDS);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<PlayRequest> opened) {
        call = opened;
        call.setOnReadyHandler(this::write);
    }

    @Override
    public void onNext(PlayResponse heard) {
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
