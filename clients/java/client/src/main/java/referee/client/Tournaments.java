package referee.client;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import referee.api.v1.CancelTournamentRequest;
import referee.api.v1.CreateTournamentRequest;
import referee.api.v1.EnterTournamentRequest;
import referee.api.v1.ExportTournamentRequest;
import referee.api.v1.ExportTournamentResponse;
import referee.api.v1.GetTournamentRecordRequest;
import referee.api.v1.GetTournamentRecordResponse;
import referee.api.v1.GetTournamentRequest;
import referee.api.v1.GetTournamentStandingsRequest;
import referee.api.v1.ListPairingsRequest;
import referee.api.v1.ListPairingsResponse;
import referee.api.v1.ListTournamentsRequest;
import referee.api.v1.ListTournamentsResponse;
import referee.api.v1.StartTournamentRequest;
import referee.api.v1.TournamentServiceGrpc.TournamentServiceBlockingStub;
import referee.api.v1.WatchTournamentItem;
import referee.api.v1.WatchTournamentRequest;
import referee.api.v1.WatchTournamentResponse;
import referee.api.v1.WithdrawEntrantRequest;

/** Creates tournaments, runs and watches them, see {@link Organiser#tournaments}. */
public final class Tournaments {
    private final Calls calls;

    Tournaments(Calls calls) {
        this.calls = calls;
    }

    /**
     * Creates a tournament. Further entrants can enter until it is started.
     *
     * @param name its name
     * @param terms the terms
     * @param entrants the first entrants
     * @return the tournament
     */
    public Tournament create(String name, TournamentTerms terms, Entrant... entrants) {
        CreateTournamentRequest request =
                CreateTournamentRequest.newBuilder()
                        .setRequestId(Calls.requestId())
                        .setName(name)
                        .setTitle(terms.title)
                        .setTerms(ContestConversions.message(terms))
                        .addAllEntrants(
                                Arrays.stream(entrants).map(ContestConversions::message).toList())
                        .build();
        return tournament(() -> stub().createTournament(request).getTournament());
    }

    /**
     * Adds the bot whose token this is.
     *
     * @param name the name of the tournament
     * @return the tournament
     */
    public Tournament enter(String name) {
        return enter(EnterTournamentRequest.newBuilder().setTournament(name).build());
    }

    /**
     * Adds an entrant.
     *
     * @param name the name of the tournament
     * @param entrant the entrant
     * @return the tournament
     */
    public Tournament enter(String name, Entrant entrant) {
        return enter(
                EnterTournamentRequest.newBuilder()
                        .setTournament(name)
                        .setEntrant(ContestConversions.message(entrant))
                        .build());
    }

    private Tournament enter(EnterTournamentRequest request) {
        return tournament(() -> stub().enterTournament(request).getTournament());
    }

    /**
     * Withdraws an entrant. After the start its results are kept.
     *
     * @param name the name of the tournament
     * @param entrant the name of the entrant; empty: the bot whose token this is
     * @param why the reason, for people; can be empty
     * @return the tournament
     */
    public Tournament withdraw(String name, String entrant, String why) {
        WithdrawEntrantRequest request =
                WithdrawEntrantRequest.newBuilder()
                        .setTournament(name)
                        .setEntrant(entrant)
                        .setMessage(why)
                        .build();
        return tournament(() -> stub().withdrawEntrant(request).getTournament());
    }

    /**
     * Starts a tournament.
     *
     * @param name the name of the tournament
     * @return the tournament
     */
    public Tournament start(String name) {
        StartTournamentRequest request = StartTournamentRequest.newBuilder().setName(name).build();
        return tournament(() -> stub().startTournament(request).getTournament());
    }

    /**
     * Cancels a tournament. Its matches in play become void.
     *
     * @param name the name of the tournament
     * @param why the reason, for people; can be empty
     * @return the tournament
     */
    public Tournament cancel(String name, String why) {
        CancelTournamentRequest request =
                CancelTournamentRequest.newBuilder().setName(name).setMessage(why).build();
        return tournament(() -> stub().cancelTournament(request).getTournament());
    }

    /**
     * Returns a tournament.
     *
     * @param name the name of the tournament
     * @return the tournament as it is now
     */
    public Tournament get(String name) {
        GetTournamentRequest request = GetTournamentRequest.newBuilder().setName(name).build();
        return tournament(() -> stub().getTournament(request).getTournament());
    }

    /**
     * Returns tournaments, the newest first. They are read page by page while the stream is read.
     *
     * @param filter which tournaments are wanted
     * @return the tournaments
     */
    public Stream<Tournament> list(TournamentFilter filter) {
        ListTournamentsRequest.Builder request =
                ListTournamentsRequest.newBuilder()
                        .setGame(filter.game())
                        .setBot(filter.bot())
                        .setPageSize(Calls.PAGE_SIZE);
        filter.phase().map(ContestConversions::message).ifPresent(request::setPhase);
        return calls.pages(
                        token -> stub().listTournaments(request.setPageToken(token).build()),
                        ListTournamentsResponse::getNextPageToken,
                        ListTournamentsResponse::getTournamentsList)
                .map(ContestConversions::tournament);
    }

    /**
     * Returns pairings by round and board. They are read page by page while the stream is read.
     *
     * @param name the name of the tournament
     * @param round only those of this round; 0: all
     * @return the pairings
     */
    public Stream<Pairing> pairings(String name, int round) {
        ListPairingsRequest.Builder request =
                ListPairingsRequest.newBuilder()
                        .setTournament(name)
                        .setRound(round)
                        .setPageSize(Calls.PAGE_SIZE);
        return calls.pages(
                        token -> stub().listPairings(request.setPageToken(token).build()),
                        ListPairingsResponse::getNextPageToken,
                        ListPairingsResponse::getPairingsList)
                .map(ContestConversions::pairing);
    }

    /**
     * Returns the standings, the best first.
     *
     * @param name the name of the tournament
     * @param afterRound the round after which they are wanted; 0: the current ones
     * @return the standings
     */
    public List<TournamentStanding> standings(String name, int afterRound) {
        GetTournamentStandingsRequest request =
                GetTournamentStandingsRequest.newBuilder()
                        .setTournament(name)
                        .setAfterRound(afterRound)
                        .build();
        return calls.call(() -> stub().getTournamentStandings(request)).getStandingsList().stream()
                .map(ContestConversions::standing)
                .toList();
    }

    /**
     * Returns the entries of a tournament after a number, once and in order, until it is over.
     *
     * <p>The stream waits for entries. After an interruption of the connection it goes on with the
     * next entry. It must be closed unless it is read to its end.
     *
     * @param name the name of the tournament
     * @param after the number of the last entry that is not wanted; 0: all are
     * @return the entries
     */
    public Stream<TournamentEntry> watch(String name, long after) {
        WatchTournamentRequest.Builder request =
                WatchTournamentRequest.newBuilder().setTournament(name);
        Watch.Log<WatchTournamentResponse, TournamentEntry> log =
                new Watch.Log<>(
                        number -> stub().watchTournament(request.setAfterNumber(number).build()),
                        message ->
                                message.getItemsList().stream()
                                        .filter(WatchTournamentItem::hasEntry)
                                        .map(item -> ContestConversions.entry(item.getEntry())),
                        TournamentEntry::number);
        return calls.watch(log, after);
    }

    /**
     * Returns a tournament as the text of a file.
     *
     * @param name the name of the tournament
     * @param format the format of the file
     * @return the text
     */
    public String export(String name, ExportFormat format) {
        ExportTournamentRequest request =
                ExportTournamentRequest.newBuilder()
                        .setTournament(name)
                        .setFormat(
                                referee.api.v1.ExportFormat.valueOf(
                                        "EXPORT_FORMAT_" + format.name()))
                        .build();
        return calls.text(
                () -> stub().exportTournament(request), ExportTournamentResponse::getText);
    }

    /**
     * Returns the signed record of a tournament that is over.
     *
     * @param name the name of the tournament
     * @return a file with one line for each entry, which {@code referee verify} checks
     */
    public String record(String name) {
        GetTournamentRecordRequest request =
                GetTournamentRecordRequest.newBuilder().setTournament(name).build();
        return calls.text(
                () -> stub().getTournamentRecord(request), GetTournamentRecordResponse::getText);
    }

    private TournamentServiceBlockingStub stub() {
        return calls.tournaments();
    }

    private Tournament tournament(Supplier<referee.api.v1.Tournament> call) {
        return ContestConversions.tournament(calls.call(call));
    }
}
