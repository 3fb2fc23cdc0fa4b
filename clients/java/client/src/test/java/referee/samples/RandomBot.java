package referee.samples;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import referee.client.Program;
import referee.client.Turn;

/** Plays a random legal move, in every game. */
public final class RandomBot {
    private RandomBot() {}

    static String choose(Turn turn) {
        // Replace this by your own choice; turn.position() is the position.
        List<String> moves = turn.legalMoves();
        return moves.get(ThreadLocalRandom.current().nextInt(moves.size()));
    }

    public static void main(String[] args) {
        System.exit(Program.run(RandomBot::choose));
    }
}
