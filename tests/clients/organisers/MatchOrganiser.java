import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import referee.client.CallException;
import referee.client.Client;
import referee.client.Entry;
import referee.client.Match;
import referee.client.MatchTerms;
import referee.client.Organiser;
import referee.client.Result;
import referee.client.TimeControl;

/** Registers a bot, lets it play a match against itself, watches it, and prints what it has seen as lines. */
public final class MatchOrganiser {
    public static void main(String[] args) throws Exception {
        String address = System.getenv("BOT_REFEREE");
        try (Organiser organiser = Client.fromEnvironment().buildOrganiser()) {
            String token = organiser.registerBot("duke", "plays whatever comes first");
            try {
                organiser.registerBot("duke", "again");
            } catch (CallException e) {
                System.out.println("error " + e.error().reason());
            }
            try (Client client = Client.builder(address, token).build()) {
                CompletableFuture<Void> played = CompletableFuture.runAsync(() -> play(client));
                organise(organiser);
                client.close();
                played.join();
                System.out.println("stopped");
            }
        }
    }

    private static void play(Client client) {
        try {
            client.play(turn -> turn.legalMoves().get(0));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void organise(Organiser organiser) {
        MatchTerms terms =
                MatchTerms.builder("alquerque")
                        .timeControl(new TimeControl.Fischer(Duration.ofHours(1), Duration.ofSeconds(1)))
                        .startTimeout(Duration.ofMinutes(10))
                        .title("test")
                        .build();
        Match match = organiser.createMatch(terms, "duke", "duke");
        System.out.printf("match %s %s %s%n", match.game(), match.title(), match.bots());
        List<Entry> entries;
        try (Stream<Entry> watched = organiser.watch(match.id(), 0)) {
            entries = watched.toList();
        }
        List<Long> numbers = entries.stream().map(Entry::number).toList();
        System.out.println("numbers " + numbers.equals(LongStream.rangeClosed(1, numbers.size()).boxed().toList()));
        long moves = entries.stream().filter(entry -> entry.move().isPresent()).count();
        System.out.println("moves " + (moves > 0));
        try (Stream<Entry> later = organiser.watch(match.id(), 5)) {
            System.out.println("later " + later.findFirst().orElseThrow().number());
        }
        Result result = organiser.result(match.id());
        System.out.println("result " + result.kind() + " " + result.scores().size());
        System.out.println("record " + (organiser.record(match.id()).lines().count() >= moves));
        System.out.println("over " + organiser.match(match.id()).result().orElseThrow().equals(result));
        Match aborted = organiser.createMatch(terms, "duke", "duke");
        organiser.abortMatch(aborted.id(), "enough");
        System.out.println("aborted " + organiser.result(aborted.id()).reason());
    }
}
