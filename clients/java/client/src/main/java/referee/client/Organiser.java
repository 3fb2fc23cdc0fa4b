package referee.client;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import referee.api.v1.AbortMatchRequest;
import referee.api.v1.BotRef;
import referee.api.v1.CreateBotTokenRequest;
import referee.api.v1.CreateMatchRequest;
import referee.api.v1.GetMatchRequest;
import referee.api.v1.GetRecordRequest;
import referee.api.v1.RegisterBotRequest;
import referee.api.v1.WatchMatchItem;
import referee.api.v1.WatchMatchRequest;
import referee.api.v1.WatchMatchResponse;

/**
 * Makes the calls of organisers and watchers, see {@link Client.Builder#buildOrganiser}.
 *
 * <pre>{@code
 * try (Organiser organiser = Client.builder("localhost:7700", token).buildOrganiser()) {
 *     Tournaments tournaments = organiser.tournaments();
 *     MatchTerms match = MatchTerms.builder("alquerque").build();
 *     TournamentTerms terms =
 *             TournamentTerms.builder(match, new TournamentFormat.Swiss(5)).title("The cup").build();
 *     tournaments.create("cup", terms, Entrant.bot("anna"), Entrant.bot("bert/1.4"));
 *     tournaments.start("cup");
 *     try (Stream<TournamentEntry> entries = tournaments.watch("cup", 0)) {
 *         entries.forEach(entry -> System.out.println(entry.kind() + " " + entry.pairings()));
 *     }
 *     tournaments.standings("cup", 0).forEach(System.out::println);
 * }
 * }</pre>
 *
 * <p>Its methods may be called on several threads at once, and wait for the server. While the
 * server cannot be reached or asks for a pause, a call is made up to five times, with the same
 * request id, so that nothing is created twice. The methods throw a {@link CallException} if the
 * server rejects the call, or still cannot be reached then.
 */
public final class Organiser implements AutoCloseable {
    private final Calls calls;
    private final Tournaments tournaments;
    private final Ladders ladders;

    Organiser(Settings settings) {
        calls = new Calls(settings);
        tournaments = new Tournaments(calls);
        ladders = new Ladders(calls);
    }

    /** Closes the connection. */
    @Override
    public void close() {
        calls.close();
    }

    /**
     * Returns the calls about tournaments.
     *
     * @return the calls, which use the connection of this organiser
     */
    public Tournaments tournaments() {
        return tournaments;
    }

    /**
     * Returns the calls about ladders.
     *
     * @return the calls, which use the connection of this organiser
     */
    public Ladders ladders() {
        return ladders;
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
                        .setRequestId(Calls.requestId())
                        .setName(name)
                        .setDescription(description);
        String token = calls.call(() -> calls.bots().registerBot(request.build()).getSecret());
        if (!token.isEmpty()) {
            return token;
        }
        // The call was repeated, and the response that had the token was lost.
        CreateBotTokenRequest another = CreateBotTokenRequest.newBuilder().setBot(name).build();
        return calls.call(() -> calls.bots().createBotToken(another).getSecret());
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
                        .setRequestId(Calls.requestId())
                        .setTerms(Conversions.terms(terms))
                        .setTitle(terms.title);
        for (String bot : bots) {
            request.addSeats(BotRef.newBuilder().setBot(bot));
        }
        return calls.call(
                () -> Conversions.match(calls.matches().createMatch(request.build()).getMatch()));
    }

    /**
     * Returns a match.
     *
     * @param id the id of the match
     * @return the match as it is now
     */
    public Match match(String id) {
        GetMatchRequest request = GetMatchRequest.newBuilder().setMatchId(id).build();
        return calls.call(() -> Conversions.match(calls.matches().getMatch(request).getMatch()));
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
                        .setRequestId(Calls.requestId())
                        .setMatchId(id)
                        .setMessage(why);
        calls.call(() -> calls.matches().abortMatch(request.build()));
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
        WatchMatchRequest.Builder request = WatchMatchRequest.newBuilder().setMatchId(id);
        Watch.Log<WatchMatchResponse, Entry> log =
                new Watch.Log<>(
                        number ->
                                calls.matches().watchMatch(request.setAfterNumber(number).build()),
                        message ->
                                message.getItemsList().stream()
                                        .filter(WatchMatchItem::hasEntry)
                                        .map(item -> Conversions.entry(item.getEntry())),
                        Entry::number);
        return calls.watch(log, after);
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
        return calls.text(
                () -> calls.matches().getRecord(request),
                part ->
                        part.getLinesList().stream()
                                .map(line -> line + "\n")
                                .collect(Collectors.joining()));
    }
}
