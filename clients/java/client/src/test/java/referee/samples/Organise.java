package referee.samples;

import referee.api.v1.BotRef;
import referee.api.v1.CreateMatchRequest;
import referee.api.v1.GetMatchRequest;
import referee.api.v1.GetRecordRequest;
import referee.api.v1.MatchServiceGrpc;
import referee.api.v1.WatchMatchItem;
import referee.api.v1.WatchMatchRequest;
import referee.client.CallException;
import referee.client.Client;
import referee.client.Organiser;

/**
 * Organises a match, which is the task of the conformance kit: creates and watches it, reads its
 * result and record.
 */
public final class Organise {
    private Organise() {}

    private static void organise(Organiser organiser) {
        CreateMatchRequest.Builder creation =
                CreateMatchRequest.newBuilder()
                        .setTitle("conformance")
                        .addSeats(BotRef.newBuilder().setBot("anna"))
                        .addSeats(BotRef.newBuilder().setBot("bert"));
        creation.getTermsBuilder().getRulesBuilder().setGame("alquerque");
        creation.getTermsBuilder()
                .getTimeControlBuilder()
                .getRuleBuilder()
                .getSuddenDeathBuilder()
                .setMainMs(60_000);
        var created = organiser.call(MatchServiceGrpc.getCreateMatchMethod(), creation.build());
        String id = created.getMatch().getId();
        organiser.watch(
                MatchServiceGrpc.getWatchMatchMethod(),
                WatchMatchRequest.newBuilder().setMatchId(id).setAfterNumber(0).build(),
                response -> {
                    response.getItemsList().stream()
                            .filter(WatchMatchItem::hasEntry)
                            .forEach(i -> System.out.println("entry " + i.getEntry().getNumber()));
                    return true;
                });
        var match =
                organiser.call(
                        MatchServiceGrpc.getGetMatchMethod(),
                        GetMatchRequest.newBuilder().setMatchId(id).build());
        String kind = match.getMatch().getResult().getKindCase().name();
        System.out.println("result " + kind.toLowerCase());
        var record =
                organiser.read(
                        MatchServiceGrpc.getGetRecordMethod(),
                        GetRecordRequest.newBuilder().setMatchId(id).build());
        System.out.println("record " + record.stream().mapToInt(p -> p.getLinesCount()).sum());
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
