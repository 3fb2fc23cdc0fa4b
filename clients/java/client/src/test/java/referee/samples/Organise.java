package referee.samples;

import java.time.Duration;
import java.util.stream.Stream;
import referee.client.CallException;
import referee.client.Client;
import referee.client.Entry;
import referee.client.MatchTerms;
import referee.client.Organiser;
import referee.client.Result;
import referee.client.TimeControl;

/**
 * Organises a match, which is the task of the conformance kit: creates and watches it, reads its
 * result and record.
 */
public final class Organise {
    private Organise() {}

    private static void organise(Organiser organiser) {
        MatchTerms terms =
                MatchTerms.builder("alquerque")
                        .timeControl(new TimeControl.SuddenDeath(Duration.ofSeconds(60)))
                        .title("conformance")
                        .build();
        String id = organiser.createMatch(terms, "anna", "bert").id();
        try (Stream<Entry> entries = organiser.watch(id, 0)) {
            entries.forEach(entry -> System.out.println("entry " + entry.number()));
        }
        organiser.match(id).result().ifPresent(result -> System.out.println(kind(result)));
        System.out.println("record " + organiser.record(id).lines().count());
    }

    private static String kind(Result result) {
        return switch (result.kind()) {
            case PLAYED -> "result played";
            case FORFEITED -> "result forfeited";
            case VOID -> "result voided";
        };
    }

    public static void main(String[] args) {
        try (Organiser organiser = Client.fromEnvironment().buildOrganiser()) {
            organise(organiser);
        } catch (CallException e) {
            System.err.println(e.error().reason());
            System.exit(1);
        }
    }
}
