package referee.samples;

import java.util.OptionalInt;
import referee.client.Answer;
import referee.client.Client;
import referee.client.End;
import referee.client.Match;
import referee.client.SeatBot;
import referee.client.Turn;

/**
 * Plays inside of a program of its own: an object per seat, until its first match is over. It
 * offers draws and accepts them.
 */
public final class OneMatch implements SeatBot {
    private final Client client;
    private int turns;

    private OneMatch(Client client) {
        this.client = client;
    }

    @Override
    public void started(Match match, int seat) {
        System.out.printf("started %s as %s%n", match.game(), match.seatNames().get(seat));
    }

    @Override
    public Answer choose(Turn turn) {
        turns++;
        if (!turn.drawOffers().isEmpty()) {
            return new Answer.DrawAcceptance();
        }
        String first = turn.legalMoves().get(0);
        return turns == 2
                ? new Answer.Choice(first, true, OptionalInt.empty())
                : new Answer.Move(first);
    }

    @Override
    public void ended(End end) {
        System.out.printf("ended: %s, after %d turns%n", end.result().reason(), turns);
        client.close();
    }

    public static void main(String[] args) throws InterruptedException {
        String address = System.getenv("BOT_REFEREE");
        try (Client client =
                Client.builder(address, System.getenv("BOT_TOKEN")).games("alquerque").build()) {
            client.playPerSeat(() -> new OneMatch(client));
        }
        System.out.println("stopped");
    }
}
