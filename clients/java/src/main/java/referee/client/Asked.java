package referee.client;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import referee.api.v1.Refusal;
import referee.api.v1.Turn;

/** A turn as the bot is asked it. */
public final class Asked {
    private final Turn turn;
    private final Optional<Refusal> refused;
    private volatile boolean wanted = true;
    private Future<?> thought;

    Asked(Turn turn, Optional<Refusal> refused) {
        this.turn = turn;
        this.refused = refused;
    }

    public Turn turn() {
        return turn;
    }

    /** The legal moves, if the bot has wished for them. */
    public List<String> legalMoves() {
        // So named by protoc, because getLegalMovesCount would mean two fields otherwise.
        return turn.getLegalMoves9List();
    }

    /** Why the last answer was refused, if this is another attempt at the same move. */
    public Optional<Refusal> refused() {
        return refused;
    }

    /** Whether an answer is still wanted. A bot that thinks for long may look now and then. */
    public boolean wanted() {
        return wanted;
    }

    void thoughtAboutBy(Future<?> thought) {
        this.thought = thought;
    }

    /** An answer is not wanted any more: who thinks about it is interrupted. */
    void drop() {
        wanted = false;
        if (thought != null) {
            thought.cancel(true);
        }
    }
}
