import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import referee.client.CallException;
import referee.client.Client;
import referee.client.Entrant;
import referee.client.ExportFormat;
import referee.client.LadderEntry;
import referee.client.LadderFilter;
import referee.client.LadderTerms;
import referee.client.Ladders;
import referee.client.MatchTerms;
import referee.client.Organiser;
import referee.client.Pairing;
import referee.client.TimeControl;
import referee.client.Tournament;
import referee.client.TournamentEntry;
import referee.client.TournamentFilter;
import referee.client.TournamentFormat;
import referee.client.TournamentStanding;
import referee.client.TournamentTerms;
import referee.client.Tournaments;

/** Lets two bots play a tournament and a ladder, watches both, and prints what it has seen as lines. */
public final class ContestOrganiser {
    private static final MatchTerms MATCH =
            MatchTerms.builder("alquerque")
                    .timeControl(new TimeControl.Fischer(Duration.ofHours(1), Duration.ofSeconds(1)))
                    .build();

    public static void main(String[] args) {
        String address = System.getenv("BOT_REFEREE");
        List<CompletableFuture<Void>> playing = new ArrayList<>();
        try (Organiser organiser = Client.fromEnvironment().buildOrganiser();
                Client anna = Client.builder(address, organiser.registerBot("anna", "")).build();
                Client bert = Client.builder(address, organiser.registerBot("bert", "")).build()) {
            for (Client bot : List.of(anna, bert)) {
                playing.add(CompletableFuture.runAsync(() -> play(bot)));
            }
            runTournament(organiser);
            runLadder(organiser.ladders());
        }
        playing.forEach(CompletableFuture::join);
        System.out.println("stopped");
    }

    private static void play(Client client) {
        try {
            client.play(turn -> turn.legalMoves().get(0));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void runTournament(Organiser organiser) {
        Tournaments tournaments = organiser.tournaments();
        TournamentTerms terms =
                TournamentTerms.builder(MATCH, new TournamentFormat.RoundRobin(2))
                        .title("The cup")
                        .maxConcurrentMatches(1)
                        .build();
        Tournament created = tournaments.create("cup", terms, Entrant.bot("anna"));
        System.out.printf("created %s %s %s%n", created.title(), created.format(), created.phase());
        try {
            tournaments.enter("cup", Entrant.bot("carl"));
        } catch (CallException e) {
            System.out.println("error " + e.error().reason() + " " + e.error().metadata());
        }
        tournaments.enter("cup", Entrant.team("guest", "bert"));
        int before = tournaments.withdraw("cup", "guest", "not yet").entrants().size();
        int after = tournaments.enter("cup", Entrant.bot("bert")).entrants().size();
        System.out.println("entrants " + before + " " + after);
        tournaments.start("cup");
        List<TournamentEntry> entries;
        try (Stream<TournamentEntry> watched = tournaments.watch("cup", 0)) {
            entries = watched.toList();
        }
        checkNumbers(entries.stream().mapToLong(TournamentEntry::number));
        TournamentEntry last = entries.get(entries.size() - 1);
        System.out.println("watched " + entries.get(0).kind() + " " + last.kind());
        try (Stream<TournamentEntry> later = tournaments.watch("cup", last.number() - 1)) {
            System.out.println("later " + later.toList().equals(List.of(last)));
        }
        List<TournamentStanding> standings = tournaments.standings("cup", 0);
        double points = standings.stream().mapToDouble(TournamentStanding::points).sum();
        System.out.println("standings " + points + " " + standings.equals(last.standings()));
        System.out.println("first round " + tournaments.standings("cup", 1).size());
        List<Pairing> pairings = tournaments.pairings("cup", 0).toList();
        System.out.println("pairings " + pairings.stream().map(Pairing::phase).toList());
        System.out.println("second round " + tournaments.pairings("cup", 2).count());
        System.out.println("played " + organiser.match(pairings.get(0).matchIds().get(0)).tournament());
        TournamentFilter finished =
                TournamentFilter.ALL
                        .ofGame("alquerque")
                        .ofBot("bert")
                        .inPhase(Tournament.Phase.FINISHED);
        tournaments.list(finished).forEach(one -> System.out.println("listed " + one.name()));
        System.out.println("export " + tournaments.export("cup", ExportFormat.CSV).contains("bert"));
        System.out.println("record " + (tournaments.record("cup").lines().count() > last.number()));
        tournaments.create("rain", terms);
        System.out.println("cancelled " + tournaments.cancel("rain", "rain").phase());
        System.out.println("ended " + tournaments.get("rain").endTime().isPresent());
    }

    private static void runLadder(Ladders ladders) {
        ladders.create(
                "main", LadderTerms.builder(MATCH).title("Main").maxConcurrentMatches(1).build());
        for (String bot : List.of("anna", "bert")) {
            System.out.println("joined " + ladders.join("main", Entrant.bot(bot)).entrant().name());
        }
        Pairing challenge = ladders.challenge("main", "anna", "bert");
        System.out.println("challenge " + challenge.entrants().stream().sorted().toList());
        System.out.println("paused " + ladders.pause("main", "lunch").paused());
        System.out.println("resumed " + !ladders.resume("main").paused());
        try (Stream<LadderEntry> watched = ladders.watch("main", 0)) {
            LadderEntry rated =
                    watched.filter(entry -> entry.kind().equals("match_rated")).findFirst().orElseThrow();
            System.out.println(
                    "rated " + rated.ratings().stream().map(change -> change.after().matches()).toList());
        }
        ladders.leave("main", "bert");
        ladders.list(LadderFilter.OPEN.ofBot("anna"))
                .forEach(one -> System.out.println("open " + one.name()));
        System.out.println("closed " + ladders.close("main", "thanks").closed());
        List<LadderEntry> entries;
        try (Stream<LadderEntry> watched = ladders.watch("main", 0)) {
            entries = watched.toList();
        }
        checkNumbers(entries.stream().mapToLong(LadderEntry::number));
        System.out.println("watched " + entries.get(entries.size() - 1).kind());
        ladders.standings("main", 0)
                .forEach(row -> System.out.println("standing " + row.rank() + " " + row.entrant().name()));
        System.out.println("record " + (ladders.record("main").lines().count() > entries.size()));
        ladders.list(LadderFilter.ALL)
                .forEach(one -> System.out.println("listed " + one.name() + " " + one.games()));
        System.out.println("get " + ladders.get("main").title());
    }

    private static void checkNumbers(LongStream numbers) {
        List<Long> seen = numbers.boxed().toList();
        System.out.println("numbers " + seen.equals(LongStream.rangeClosed(1, seen.size()).boxed().toList()));
    }
}
