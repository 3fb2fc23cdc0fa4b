package referee.samples;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import referee.api.v1.TurnOptions;
import referee.client.Bot;
import referee.client.TurnRequest;

/** Plays a random legal move, in every game. */
public final class RandomBot implements Bot {
    @Override
    public String choose(TurnRequest request) {
        // Replace this by your own choice; request.turn().getPosition() is the position.
        List<String> moves = request.legalMoves();
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
