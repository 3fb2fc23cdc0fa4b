import referee.client.Program;
import referee.client.Turn;

public final class PoisonousBot {
    private static String choose(Turn turn) {
        if (!turn.game().equals("trox")) {
            return turn.legalMoves().get(0);
        }
        return turn.rejection().isEmpty() ? "x".repeat(2_000_000) : "\ud800";
    }

    public static void main(String[] args) {
        System.exit(Program.run(PoisonousBot::choose, settings -> settings.maxLegalMoves(1)));
    }
}
