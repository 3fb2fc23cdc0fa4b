import referee.api.v1.TurnOptions;
import referee.client.Bot;
import referee.client.TurnRequest;

public final class PoisonousBot implements Bot {
    @Override
    public String choose(TurnRequest request) {
        if (!request.turn().getRules().getGame().equals("trox")) {
            return request.legalMoves().get(0);
        }
        return request.rejection().isEmpty() ? "x".repeat(2_000_000) : "\ud800";
    }

    @Override
    public TurnOptions turnOptions() {
        return TurnOptions.newBuilder().setMaxLegalMoves(1).build();
    }

    public static void main(String[] args) throws InterruptedException {
        System.exit(Bot.run(new PoisonousBot()));
    }
}
