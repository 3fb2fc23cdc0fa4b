package referee.client;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import referee.api.v1.ErrorDetail;
import referee.api.v1.Turn;

/** A turn as it is passed to the bot. */
public final class Asked {
    private final Turn turn;
    private final Optional<ErrorDetail> refused;
    private volatile boolean wanted = true;
    private Future<?> thought;

    Asked(Turn turn, Optional<ErrorDetail> refused) {
        this.turn = turn;
        this.refused = refused;
    }

    public Turn turn() {
        return turn;
    }

    /** The legal moves, if the bot has asked for them. */
    public List<String> legalMoves() {
        return turn.getLegalMovesList();
    }

    /** The error of the last answer, if this is another attempt at the same move. */
    public Optional<ErrorDetail> refused() {
        return refused;
    }

    /** Whether an answer is still needed. A bot that thinks for long may check this regularly. */
    public boolean wanted() {
        return wanted;
    }

    void thoughtAboutBy(Future<?> thought) {
        this.thought = thought;
    }

    /** Notes that no answer is needed any more, and interrupts the thread that computes it. */
    void drop() {
        wanted = false;
        if (thought != null) {
            thought.cancel(true);
        }
    }
}
