package referee.samples;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import referee.api.v1.TurnOptions;
import referee.client.Asked;
import referee.client.Bot;

/** Plays a random one of the legal moves: a bot for every game there is. */
public final class RandomBot implements Bot {
    @Override
    public String choose(Asked asked) {
        // Your idea goes here; asked.turn().getPosition() says how it stands.
        List<String> moves = asked.legalMoves();
        return moves.get(ThreadLocalRandom.current().nextInt(moves.size()));
    }

    @Override
    public TurnOptions turnOptions() {
        return TurnOptions.newBuilder().setMaxLegalMoves(5000).build();
    }

    public static void main(String[] args) throws InterruptedException {
        System.exit(Bot.run(new RandomBot()));
    }
}
