package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import referee.api.v1.BotServiceGrpc;
import referee.api.v1.CreateBotTokenRequest;
import referee.api.v1.CreateBotTokenResponse;
import referee.api.v1.CreateTournamentRequest;
import referee.api.v1.CreateTournamentResponse;
import referee.api.v1.ExportTournamentRequest;
import referee.api.v1.ExportTournamentResponse;
import referee.api.v1.LadderServiceGrpc;
import referee.api.v1.ListLadderStandingsRequest;
import referee.api.v1.ListLadderStandingsResponse;
import referee.api.v1.RegisterBotRequest;
import referee.api.v1.RegisterBotResponse;
import referee.api.v1.TournamentServiceGrpc;

class CallsTest {
    private static final TournamentTerms TERMS =
            TournamentTerms.builder(
                            MatchTerms.builder("toc").build(), new TournamentFormat.Swiss(5))
                    .title("The cup")
                    .build();

    /** Ends calls with these statuses first. */
    private final Queue<Status> failures = new ConcurrentLinkedQueue<>();

    private final List<CreateTournamentRequest> created = new CopyOnWriteArrayList<>();
    private final List<String> registered = new CopyOnWriteArrayList<>();
    private final List<String> pages = new CopyOnWriteArrayList<>();
    private Server server;
    private Organiser organiser;

    private final class TournamentService extends TournamentServiceGrpc.TournamentServiceImplBase {
        @Override
        public void createTournament(
                CreateTournamentRequest request, StreamObserver<CreateTournamentResponse> answer) {
            created.add(request);
            Status failure = failures.poll();
            if (failure == null) {
                CreateTournamentResponse.Builder response = CreateTournamentResponse.newBuilder();
                response.getTournamentBuilder().setName(request.getName());
                answer.onNext(response.build());
                answer.onCompleted();
            } else {
                answer.onError(failure.asException());
            }
        }

        @Override
        public void exportTournament(
                ExportTournamentRequest request, StreamObserver<ExportTournamentResponse> answer) {
            for (String text :
                    List.of(request.getFormat().name(), " of ", request.getTournament())) {
                answer.onNext(ExportTournamentResponse.newBuilder().setText(text).build());
            }
            answer.onCompleted();
        }
    }

    /** Registers each bot. The token is only in the response to the first call, which fails. */
    private final class BotService extends BotServiceGrpc.BotServiceImplBase {
        @Override
        public void registerBot(
                RegisterBotRequest request, StreamObserver<RegisterBotResponse> answer) {
            registered.add(request.getRequestId());
            Status failure = failures.poll();
            if (failure == null) {
                answer.onNext(RegisterBotResponse.getDefaultInstance());
                answer.onCompleted();
            } else {
                answer.onError(failure.asException());
            }
        }

        @Override
        public void createBotToken(
                CreateBotTokenRequest request, StreamObserver<CreateBotTokenResponse> answer) {
            String secret = "token of " + request.getBot();
            answer.onNext(CreateBotTokenResponse.newBuilder().setSecret(secret).build());
            answer.onCompleted();
        }
    }

    /** Has three pages with one standing each. */
    private final class LadderService extends LadderServiceGrpc.LadderServiceImplBase {
        @Override
        public void listLadderStandings(
                ListLadderStandingsRequest request,
                StreamObserver<ListLadderStandingsResponse> answer) {
            pages.add(request.getPageToken());
            int page = pages.size();
            ListLadderStandingsResponse.Builder response =
                    ListLadderStandingsResponse.newBuilder()
                            .setNextPageToken(page < 3 ? "page" + page : "");
            response.addStandingsBuilder().setRank(page);
            answer.onNext(response.build());
            answer.onCompleted();
        }
    }

    @BeforeEach
    void start() throws IOException {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server =
                NettyServerBuilder.forAddress(loopback, InsecureServerCredentials.create())
                        .addService(new TournamentService())
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

    @Test
    void aCallThatTheServerCouldNotAnswerIsMadeAgainWithTheSameRequestId() {
        failures.add(Status.UNAVAILABLE);
        Tournament tournament =
                organiser.tournaments().create("cup", TERMS, Entrant.bot("anna/1.4"));
        assertEquals("cup", tournament.name());
        assertEquals(2, created.size());
        assertEquals(created.get(0), created.get(1));
        assertFalse(created.get(0).getRequestId().isEmpty());
        assertEquals("The cup", created.get(0).getTitle());
        assertEquals("1.4", created.get(0).getEntrants(0).getBots(0).getVersion());
    }

    @Test
    void twoCallsHaveTwoRequestIds() {
        organiser.tournaments().create("cup", TERMS);
        organiser.tournaments().create("cup", TERMS);
        assertNotEquals(created.get(0).getRequestId(), created.get(1).getRequestId());
    }

    @Test
    void aCallThatTheServerRejectsIsAnErrorAndNotMadeAgain() {
        failures.add(Status.ALREADY_EXISTS.withDescription("no"));
        CallException thrown =
                assertThrows(
                        CallException.class, () -> organiser.tournaments().create("cup", TERMS));
        assertEquals(new RefereeError("ALREADY_EXISTS", "no"), thrown.error());
        assertEquals(1, created.size());
    }

    @Test
    void aBotIsRegisteredOnceAndItsLostTokenReplaced() {
        failures.add(Status.UNAVAILABLE);
        assertEquals("token of anna", organiser.registerBot("anna", ""));
        assertEquals(2, registered.size());
        assertEquals(registered.get(0), registered.get(1));
    }

    @Test
    void aListIsReadPageByPageToItsEnd() {
        Stream<Integer> ranks = organiser.ladders().standings("main", 0).map(LadderStanding::rank);
        assertEquals(List.of(1, 2, 3), ranks.toList());
        assertEquals(List.of("", "page1", "page2"), pages);
    }

    @Test
    void aListThatIsLeftReadsNoFurtherPage() {
        assertEquals(1, organiser.ladders().standings("main", 0).findFirst().orElseThrow().rank());
        assertEquals(List.of(""), pages);
    }

    @Test
    void aFileThatComesInPartsIsOneText() {
        String text = organiser.tournaments().export("cup", ExportFormat.TRF);
        assertEquals("EXPORT_FORMAT_TRF of cup", text);
    }
}
