package referee.client;

import java.time.Duration;
import java.util.Optional;

/**
 * The clock of a seat when the turn was sent.
 *
 * @param seat the number of the seat, from 0
 * @param running whether the seat has to move
 * @param left the time until the flag falls, including everything; empty if the seat has no clock
 * @param main the part of it that is main time or bank
 * @param period the part of it that is the current period, delay or move
 * @param periodsLeft the byo-yomi periods that are left, including the current one; 0 if there are
 *     none
 * @param movesLeft the moves until the next period; 0 if they do not count
 */
public record Clock(
        int seat,
        boolean running,
        Optional<Duration> left,
        Duration main,
        Duration period,
        int periodsLeft,
        int movesLeft) {}
