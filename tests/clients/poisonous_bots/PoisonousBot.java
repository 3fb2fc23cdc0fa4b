import referee.api.v1.TurnOptions;
import referee.client.Asked;
import referee.client.Bot;

public final class PoisonousBot implements Bot {
    @Override
    public String choose(Asked asked) {
        if (!asked.turn().getRules().getGame().equals("trox")) {
            return asked.legalMoves().get(0);
        }
        return asked.refused().isEmpty() ? "x".repeat(2_000_000) : "\ud800";
    }

    @Override
    public TurnOptions turnOptions() {
        return TurnOptions.newBuilder().setMaxLegalMoves(1).build();
    }

    public static void main(String[] args) throws InterruptedException {
        System.exit(Bot.run(new PoisonousBot()));
    }
}
