package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import referee.api.v1.BotServiceGrpc;
import referee.api.v1.LadderServiceGrpc;
import referee.api.v1.ListLadderStandingsRequest;
import referee.api.v1.ListLadderStandingsResponse;
import referee.api.v1.RegisterBotRequest;
import referee.api.v1.RegisterBotResponse;
import referee.api.v1.WatchLadderRequest;
import referee.api.v1.WatchLadderResponse;

/** What the conformance kit for organisers does not show. */
class OrganiserTest {
    private final List<ListLadderStandingsRequest> requests = new CopyOnWriteArrayList<>();
    private final List<String> ids = new CopyOnWriteArrayList<>();
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private Server server;
    private Organiser organiser;

    /** Has three pages with one standing each, and a log that does not end. */
    private final class LadderService extends LadderServiceGrpc.LadderServiceImplBase {
        @Override
        public void listLadderStandings(
                ListLadderStandingsRequest request,
                StreamObserver<ListLadderStandingsResponse> answer) {
            requests.add(request);
            int page = requests.size();
            ListLadderStandingsResponse.Builder response =
                    ListLadderStandingsResponse.newBuilder()
                            .setNextPageToken(page < 3 ? "page" + page : "");
            response.addStandingsBuilder().setRank(page);
            answer.onNext(response.build());
            answer.onCompleted();
        }

        @Override
        public void watchLadder(
                WatchLadderRequest request, StreamObserver<WatchLadderResponse> answer) {
            var call = (ServerCallStreamObserver<WatchLadderResponse>) answer;
            call.setOnCancelHandler(cancelled::countDown);
            WatchLadderResponse.Builder response = WatchLadderResponse.newBuilder();
            response.addItemsBuilder().getEntryBuilder().setNumber(7);
            answer.onNext(response.build());
        }
    }

    @BeforeEach
    void start() throws IOException {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server =
                NettyServerBuilder.forAddress(loopback, InsecureServerCredentials.create())
                        .addService(new LadderService())
                        .addService(new BotService())
                        .build()
                        .start();
        String address = loopback.getHostString() + ":" + server.getPort();
        organiser = Client.builder(address, "secret").buildOrganiser();
    }

    @AfterEach
    void stop() {
        organiser.close();
        server.shutdownNow();
    }

    /** Is never able to answer, and asks for a short pause. */
    private final class BotService extends BotServiceGrpc.BotServiceImplBase {
        @Override
        public void registerBot(
                RegisterBotRequest request, StreamObserver<RegisterBotResponse> answer) {
            ids.add(request.getRequestId());
            ErrorInfo info = ErrorInfo.newBuilder().putMetadata("retry_after_ms", "1").build();
            answer.onError(
                    StatusProto.toStatusException(
                            com.google.rpc.Status.newBuilder()
                                    .setCode(Status.Code.RESOURCE_EXHAUSTED.value())
                                    .addDetails(Any.pack(info))
                                    .build()));
        }
    }

    private Stream<Integer> ranks() {
        return organiser
                .pages(
                        LadderServiceGrpc.getListLadderStandingsMethod(),
                        ListLadderStandingsRequest.newBuilder().setLadder("main").build())
                .map(page -> page.getStandings(0).getRank());
    }

    private List<String> tokens() {
        return requests.stream().map(ListLadderStandingsRequest::getPageToken).toList();
    }

    @Test
    void aListIsReadPageByPageToItsEnd() {
        assertEquals(List.of(1, 2, 3), ranks().toList());
        assertEquals(List.of("", "page1", "page2"), tokens());
        assertTrue(requests.stream().allMatch(request -> request.getLadder().equals("main")));
    }

    @Test
    void aListThatIsLeftReadsNoFurtherPage() {
        assertEquals(1, ranks().findFirst().orElseThrow());
        assertEquals(List.of(""), tokens());
    }

    @Test
    void theFifthFailureIsFinalAndAllAttemptsHaveOneRequestId() {
        RegisterBotRequest request = RegisterBotRequest.newBuilder().setName("anna").build();
        assertThrows(
                CallException.class,
                () -> organiser.call(BotServiceGrpc.getRegisterBotMethod(), request));
        assertEquals(5, ids.size());
        assertEquals(1, Set.copyOf(ids).size());
        assertFalse(ids.get(0).isEmpty());
    }

    @Test
    void aCallOfAClosedOrganiserIsNotRepeated() {
        organiser.close();
        CallException thrown = assertThrows(CallException.class, () -> ranks());
        assertEquals("UNAVAILABLE", thrown.error().reason());
    }

    @Test
    void aWatchThatIsNotContinuedEndsItsCall() throws InterruptedException {
        List<WatchLadderResponse> seen = new ArrayList<>();
        WatchLadderRequest request = WatchLadderRequest.newBuilder().setLadder("main").build();
        organiser.watch(
                LadderServiceGrpc.getWatchLadderMethod(), request, response -> !seen.add(response));
        cancelled.await();
        assertEquals(7, seen.get(0).getItems(0).getEntry().getNumber());
    }
}
