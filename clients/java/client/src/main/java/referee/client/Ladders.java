package referee.client;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import referee.api.v1.ChallengeRequest;
import referee.api.v1.CloseLadderRequest;
import referee.api.v1.CreateLadderRequest;
import referee.api.v1.GetLadderRecordRequest;
import referee.api.v1.GetLadderRecordResponse;
import referee.api.v1.GetLadderRequest;
import referee.api.v1.JoinLadderRequest;
import referee.api.v1.LadderServiceGrpc.LadderServiceBlockingStub;
import referee.api.v1.LeaveLadderRequest;
import referee.api.v1.ListLadderStandingsRequest;
import referee.api.v1.ListLadderStandingsResponse;
import referee.api.v1.ListLaddersRequest;
import referee.api.v1.ListLaddersResponse;
import referee.api.v1.PauseLadderRequest;
import referee.api.v1.ResumeLadderRequest;
import referee.api.v1.WatchLadderItem;
import referee.api.v1.WatchLadderRequest;
import referee.api.v1.WatchLadderResponse;

/** Creates ladders, runs and watches them, see {@link Organiser#ladders}. */
public final class Ladders {
    private final Calls calls;

    Ladders(Calls calls) {
        this.calls = calls;
    }

    /**
     * Creates a ladder. It starts matches as soon as two entrants are online.
     *
     * @param name its name
     * @param terms the terms
     * @return the ladder
     */
    public Ladder create(String name, LadderTerms terms) {
        CreateLadderRequest request =
                CreateLadderRequest.newBuilder()
                        .setRequestId(Calls.requestId())
                        .setName(name)
                        .setTitle(terms.title)
                        .setTerms(ContestConversions.message(terms))
                        .build();
        return ladder(() -> stub().createLadder(request).getLadder());
    }

    /**
     * Adds the bot whose token this is.
     *
     * @param name the name of the ladder
     * @return its first standing
     */
    public LadderStanding join(String name) {
        return join(JoinLadderRequest.newBuilder().setLadder(name).build());
    }

    /**
     * Adds an entrant.
     *
     * @param name the name of the ladder
     * @param entrant the entrant
     * @return its first standing
     */
    public LadderStanding join(String name, Entrant entrant) {
        return join(
                JoinLadderRequest.newBuilder()
                        .setLadder(name)
                        .setEntrant(ContestConversions.message(entrant))
                        .build());
    }

    private LadderStanding join(JoinLadderRequest request) {
        return ContestConversions.standing(
                calls.call(() -> stub().joinLadder(request).getStanding()));
    }

    /**
     * Removes an entrant. Its ratings are kept in case it returns.
     *
     * @param name the name of the ladder
     * @param entrant the name of the entrant; empty: the bot whose token this is
     */
    public void leave(String name, String entrant) {
        LeaveLadderRequest request =
                LeaveLadderRequest.newBuilder().setLadder(name).setEntrant(entrant).build();
        calls.call(() -> stub().leaveLadder(request));
    }

    /**
     * Plans a rated pairing, which starts as soon as all have room.
     *
     * @param name the name of the ladder
     * @param entrants the names of the entrants, beginning with the challenger
     * @return the pairing
     */
    public Pairing challenge(String name, String... entrants) {
        ChallengeRequest request =
                ChallengeRequest.newBuilder()
                        .setRequestId(Calls.requestId())
                        .setLadder(name)
                        .addAllEntrants(List.of(entrants))
                        .build();
        return ContestConversions.pairing(calls.call(() -> stub().challenge(request).getPairing()));
    }

    /**
     * Pauses a ladder: it starts no matches until it is resumed. Matches in play continue and are
     * rated.
     *
     * @param name the name of the ladder
     * @param why the reason, for people; can be empty
     * @return the ladder
     */
    public Ladder pause(String name, String why) {
        PauseLadderRequest request =
                PauseLadderRequest.newBuilder().setLadder(name).setMessage(why).build();
        return ladder(() -> stub().pauseLadder(request).getLadder());
    }

    /**
     * Resumes a paused ladder.
     *
     * @param name the name of the ladder
     * @return the ladder
     */
    public Ladder resume(String name) {
        ResumeLadderRequest request = ResumeLadderRequest.newBuilder().setLadder(name).build();
        return ladder(() -> stub().resumeLadder(request).getLadder());
    }

    /**
     * Closes a ladder for good. Matches in play continue and are rated.
     *
     * @param name the name of the ladder
     * @param why the reason, for people; can be empty
     * @return the ladder
     */
    public Ladder close(String name, String why) {
        CloseLadderRequest request =
                CloseLadderRequest.newBuilder().setLadder(name).setMessage(why).build();
        return ladder(() -> stub().closeLadder(request).getLadder());
    }

    /**
     * Returns a ladder.
     *
     * @param name the name of the ladder
     * @return the ladder as it is now
     */
    public Ladder get(String name) {
        GetLadderRequest request = GetLadderRequest.newBuilder().setName(name).build();
        return ladder(() -> stub().getLadder(request).getLadder());
    }

    /**
     * Returns ladders by name. They are read page by page while the stream is read.
     *
     * @param filter which ladders are wanted
     * @return the ladders
     */
    public Stream<Ladder> list(LadderFilter filter) {
        ListLaddersRequest.Builder request =
                ListLaddersRequest.newBuilder()
                        .setGame(filter.game())
                        .setBot(filter.bot())
                        .setIncludeClosed(filter.includeClosed())
                        .setPageSize(Calls.PAGE_SIZE);
        return calls.pages(
                        token -> stub().listLadders(request.setPageToken(token).build()),
                        ListLaddersResponse::getNextPageToken,
                        ListLaddersResponse::getLaddersList)
                .map(ContestConversions::ladder);
    }

    /**
     * Returns the standings, the best first. They are read page by page while the stream is read.
     *
     * @param name the name of the ladder
     * @param season the number of the season, from 1; 0: the current one
     * @return the standings
     */
    public Stream<LadderStanding> standings(String name, int season) {
        ListLadderStandingsRequest.Builder request =
                ListLadderStandingsRequest.newBuilder()
                        .setLadder(name)
                        .setSeason(season)
                        .setPageSize(Calls.PAGE_SIZE);
        return calls.pages(
                        token -> stub().listLadderStandings(request.setPageToken(token).build()),
                        ListLadderStandingsResponse::getNextPageToken,
                        ListLadderStandingsResponse::getStandingsList)
                .map(ContestConversions::standing);
    }

    /**
     * Returns the entries of a ladder after a number, once and in order, until it is closed and its
     * last match is over.
     *
     * <p>The stream waits for entries. After an interruption of the connection it goes on with the
     * next entry. It must be closed unless it is read to its end.
     *
     * @param name the name of the ladder
     * @param after the number of the last entry that is not wanted; 0: all are
     * @return the entries
     */
    public Stream<LadderEntry> watch(String name, long after) {
        WatchLadderRequest.Builder request = WatchLadderRequest.newBuilder().setLadder(name);
        Watch.Log<WatchLadderResponse, LadderEntry> log =
                new Watch.Log<>(
                        number -> stub().watchLadder(request.setAfterNumber(number).build()),
                        message ->
                                message.getItemsList().stream()
                                        .filter(WatchLadderItem::hasEntry)
                                        .map(item -> ContestConversions.entry(item.getEntry())),
                        LadderEntry::number);
        return calls.watch(log, after);
    }

    /**
     * Returns the signed record of a closed ladder whose last match is over.
     *
     * @param name the name of the ladder
     * @return a file with one line for each entry, which {@code referee verify} checks
     */
    public String record(String name) {
        GetLadderRecordRequest request =
                GetLadderRecordRequest.newBuilder().setLadder(name).build();
        return calls.text(() -> stub().getLadderRecord(request), GetLadderRecordResponse::getText);
    }

    private LadderServiceBlockingStub stub() {
        return calls.ladders();
    }

    private Ladder ladder(Supplier<referee.api.v1.Ladder> call) {
        return ContestConversions.ladder(calls.call(call));
    }
}
