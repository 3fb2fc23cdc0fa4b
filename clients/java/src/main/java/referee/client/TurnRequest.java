package referee.client;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import referee.api.v1.ErrorDetail;
import referee.api.v1.Turn;

/** A turn as it is passed to the bot. */
public final class TurnRequest {
    private final Turn turn;
    private final Optional<ErrorDetail> rejection;
    private volatile boolean cancelled;
    private Future<?> computation;

    TurnRequest(Turn turn, Optional<ErrorDetail> rejection) {
        this.turn = turn;
        this.rejection = rejection;
    }

    public Turn turn() {
        return turn;
    }

    /** The legal moves, if the bot has requested them. */
    public List<String> legalMoves() {
        return turn.getLegalMovesList();
    }

    /** The error of the previous answer, if this is another attempt at the same move. */
    public Optional<ErrorDetail> rejection() {
        return rejection;
    }

    /** Whether the answer is no longer needed. A long computation may check this regularly. */
    public boolean isCancelled() {
        return cancelled;
    }

    /** Sets the task that computes the answer. */
    void setComputation(Future<?> computation) {
        this.computation = computation;
    }

    /** Records that the answer is no longer needed, and interrupts the thread that computes it. */
    void cancel() {
        cancelled = true;
        if (computation != null) {
            computation.cancel(true);
        }
    }
}
