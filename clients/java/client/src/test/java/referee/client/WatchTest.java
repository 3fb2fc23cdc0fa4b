package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import referee.api.v1.MatchServiceGrpc;
import referee.api.v1.WatchMatchRequest;
import referee.api.v1.WatchMatchResponse;

class WatchTest {
    /** A server whose calls send two entries each, and end with one status after the other. */
    private static final class TwoEntries extends MatchServiceGrpc.MatchServiceImplBase {
        final List<Long> after = new CopyOnWriteArrayList<>();
        private final List<Status> ends;

        TwoEntries(List<Status> ends) {
            this.ends = ends;
        }

        @Override
        public void watchMatch(
                WatchMatchRequest request, StreamObserver<WatchMatchResponse> answer) {
            WatchMatchResponse.Builder message = WatchMatchResponse.newBuilder();
            for (int i = 1; i <= 2; i++) {
                message.addItemsBuilder().getEntryBuilder().setNumber(request.getAfterNumber() + i);
            }
            answer.onNext(message.build());
            Status end = ends.get(after.size());
            after.add(request.getAfterNumber());
            if (end.isOk()) {
                answer.onCompleted();
            } else {
                answer.onError(end.asException());
            }
        }
    }

    private final List<Status> ends = new ArrayList<>();
    private final TwoEntries service = new TwoEntries(ends);
    private final List<Long> pauses = new ArrayList<>();
    private Server server;
    private ManagedChannel channel;

    @BeforeEach
    void start() throws IOException {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server =
                NettyServerBuilder.forAddress(loopback, InsecureServerCredentials.create())
                        .addService(service)
                        .build()
                        .start();
        String host = loopback.getHostString();
        channel =
                Grpc.newChannelBuilderForAddress(
                                host, server.getPort(), InsecureChannelCredentials.create())
                        .build();
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        server.shutdownNow();
    }

    private Watch<WatchMatchResponse, Long> watch(Status... ends) {
        this.ends.addAll(List.of(ends));
        WatchMatchRequest.Builder request = WatchMatchRequest.newBuilder().setMatchId("m1");
        Watch.Log<WatchMatchResponse, Long> log =
                new Watch.Log<>(
                        after ->
                                MatchServiceGrpc.newBlockingStub(channel)
                                        .watchMatch(request.setAfterNumber(after).build()),
                        message ->
                                message.getItemsList().stream()
                                        .map(item -> item.getEntry().getNumber()),
                        number -> number);
        return new Watch<>(log, 5, channel::isShutdown, pauses::add);
    }

    private static List<Long> read(Watch<WatchMatchResponse, Long> watch) {
        List<Long> numbers = new ArrayList<>();
        watch.forEachRemaining(numbers::add);
        return numbers;
    }

    @Test
    void anInterruptedWatchGoesOnWithTheNextEntry() {
        Watch<WatchMatchResponse, Long> watch =
                watch(Status.UNAVAILABLE, Status.RESOURCE_EXHAUSTED, Status.OK);
        assertEquals(List.of(6L, 7L, 8L, 9L, 10L, 11L), read(watch));
        assertEquals(List.of(5L, 7L, 9L), service.after);
        assertEquals(2, pauses.size());
    }

    @Test
    void aRejectedWatchEndsWithTheError() {
        Watch<WatchMatchResponse, Long> watch = watch(Status.NOT_FOUND.withDescription("no"));
        CallException thrown = assertThrows(CallException.class, () -> read(watch));
        assertEquals(new RefereeError("NOT_FOUND", "no"), thrown.error());
        assertEquals(List.of(), pauses);
    }

    @Test
    void aWatchThatIsClosedMakesNoOtherCall() {
        Watch<WatchMatchResponse, Long> watch = watch(Status.UNAVAILABLE);
        assertEquals(6, watch.next());
        assertEquals(7, watch.next());
        watch.close();
        assertThrows(CallException.class, watch::hasNext);
        assertEquals(List.of(5L), service.after);
    }

    @Test
    void aWatchEndsWithItsConnection() {
        Watch<WatchMatchResponse, Long> watch = watch(Status.UNAVAILABLE);
        assertEquals(6, watch.next());
        assertEquals(7, watch.next());
        channel.shutdownNow();
        assertThrows(CallException.class, watch::hasNext);
        assertEquals(List.of(), pauses);
    }
}
