package referee.client;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.grpc.Metadata;
import io.grpc.Status;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import referee.api.v1.BotItem;
import referee.api.v1.ErrorDetail;
import referee.api.v1.Hello;
import referee.api.v1.Match;
import referee.api.v1.MatchEnded;
import referee.api.v1.Pong;
import referee.api.v1.RefereeItem;
import referee.api.v1.Verdict;
import referee.api.v1.Welcome;

/**
 * Plays until it is stopped, and opens a new session after each one that ends.
 *
 * <p>All decisions are made on a single thread; only the bot's code runs elsewhere.
 */
final class Player implements Session.Listener {
    private final ScheduledExecutorService thread;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final Backoff backoff = new Backoff();
    private final Settings settings;
    private final Logger logger;
    private final Nonces nonces;
    private final Seats seats;
    final OpenTurns openTurns;
    final Hello.Builder hello;

    /** Null while there is none. */
    private @Nullable Connection session;

    /** Delay that a draining referee has requested. */
    private OptionalLong reconnectDelayMs = OptionalLong.empty();

    /**
     * @param botExecutor runs the calls of the bots
     * @param thread runs everything else
     */
    Player(
            Supplier<? extends SeatBot> bots,
            Settings settings,
            Executor botExecutor,
            ScheduledExecutorService thread) {
        this.settings = settings;
        this.thread = thread;
        logger = settings.logger();
        seats = new Seats(bots, botExecutor, logger);
        nonces = new Nonces(settings.nonce(), problem -> logger.log(Level.ERROR, problem));
        openTurns = new OpenTurns(this::choose, this::send, this::schedule);
        hello = settings.hello().toBuilder();
    }

    static Player create(Supplier<? extends SeatBot> bots, Settings settings) {
        Executor botExecutor =
                settings.executor().orElseGet(() -> Executors.newCachedThreadPool(daemonThreads()));
        return new Player(
                bots, settings, botExecutor, new ScheduledThreadPoolExecutor(1, daemonThreads()));
    }

    /** Implements {@link Client#playPerSeat}. */
    void play() throws InterruptedException {
        try {
            thread.execute(this::connect);
            end.get();
        } catch (ExecutionException e) {
            throw (RuntimeException) e.getCause();
        } finally {
            CompletableFuture.runAsync(() -> stop(null), thread).join();
            if (session != null) {
                session.awaitClosed();
            }
            thread.shutdownNow();
        }
    }

    /** Ends the play. It may be called on every thread. */
    void requestStop() {
        runLater(() -> stop(null));
    }

    private void connect() {
        if (!end.isDone()) {
            setSession(
                    new Session(
                            settings.channelBuilder().executor(thread).build(),
                            settings.token(),
                            thread,
                            this));
            send(BotItem.newBuilder().setHello(hello).build());
        }
    }

    /** Starts to use a session. Null: there is none any more. */
    void setSession(@Nullable Connection session) {
        this.session = session;
        if (session != null) {
            openTurns.onSessionStarted();
        }
    }

    @Override
    public void onItem(RefereeItem item) {
        try {
            handle(item);
        } catch (RejectedExecutionException e) { // The program has shut down its executor.
            stop(e);
        }
    }

    private void handle(RefereeItem item) {
        switch (item.getItemCase()) {
            case PING -> {
                Pong pong = Pong.newBuilder().setId(item.getPing().getId()).build();
                send(BotItem.newBuilder().setPong(pong).build());
            }
            case TURN -> openTurns.onTurn(seats.turn(item.getTurn()));
            case VERDICT -> onVerdict(item.getVerdict());
            case TURN_EXPIRED -> openTurns.onTurnExpired(item.getTurnExpired());
            case MATCH_ENDED -> {
                MatchEnded ended = item.getMatchEnded();
                nonces.onMatchEnded(ended.getMatchId(), ended.getSeedCommitment());
                openTurns.onMatchEnded(ended.getMatchId());
                seats.onMatchEnded(ended);
            }
            case NONCE_REQUEST -> send(nonces.onRequest(item.getNonceRequest()));
            case MATCH_STARTED -> {
                Match match = item.getMatchStarted().getMatch();
                nonces.onMatchStarted(match.getId(), match.getSeedCommitment());
                seats.onMatchStarted(item.getMatchStarted());
            }
            case WELCOME -> onWelcome(item.getWelcome());
            case DRAINING ->
                    reconnectDelayMs = OptionalLong.of(item.getDraining().getReconnectDelayMs());
            case SESSION_TAKEN_OVER -> stop(new TakenOverException());
            case NOTICE ->
                    logger.log(
                            Level.WARNING,
                            "notice of the referee: " + item.getNotice().getMessage());
            default -> {} // It needs no answer, or is unknown to this client.
        }
    }

    private void onVerdict(Verdict verdict) {
        if (verdict.hasRejected()) {
            ErrorDetail error = verdict.getRejected().getError();
            String text = "match %s: rejected: %s";
            logger.log(
                    Level.WARNING, text.formatted(verdict.getMatchId(), Conversions.error(error)));
        }
        openTurns.onVerdict(verdict);
    }

    private void onWelcome(Welcome welcome) {
        backoff.onWelcome(nowMs());
        if (welcome.getHeartbeatTimeoutMs() > 0) {
            session.setHeartbeatTimeout(welcome.getHeartbeatTimeoutMs());
        }
        // Keep the version for later sessions, even if a newer one is registered: the seats belong
        // to it.
        hello.setVersion(welcome.getVersion());
        String text = "connected to %s as %s, version %s";
        logger.log(
                Level.INFO,
                text.formatted(settings.hostPort(), welcome.getBot(), welcome.getVersion()));
    }

    @Override
    public void onEnd(Status status, Metadata trailers) {
        if (!isFinal(status, trailers)) {
            reconnect(describe(status));
        }
    }

    /**
     * Returns whether the bot stops, and stops it after a status for which reconnecting is no help.
     */
    boolean isFinal(Status status, Metadata trailers) {
        if (!end.isDone()) {
            setSession(null);
            switch (status.getCode()) {
                // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
                case ABORTED -> stop(new TakenOverException());
                case UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT ->
                        stop(new RejectedException(Conversions.error(status, trailers)));
                default -> {}
            }
        }
        return end.isDone();
    }

    private void reconnect(String reason) {
        long pauseMs = nextPauseMs(ThreadLocalRandom.current().nextDouble());
        String text = "disconnected: %s; reconnecting in %.1f s";
        logger.log(Level.WARNING, text.formatted(reason, pauseMs / 1000.0));
        schedule(pauseMs, this::connect);
    }

    /** Returns the pause before the next session; {@code random} is a number from 0 to 1. */
    long nextPauseMs(double random) {
        long pauseMs =
                reconnectDelayMs.isPresent()
                        ? backoff.afterDrainingMs(reconnectDelayMs.getAsLong(), random)
                        : backoff.nextMs(nowMs(), openTurns.hasAny(), random);
        reconnectDelayMs = OptionalLong.empty();
        return pauseMs;
    }

    private static long nowMs() {
        return System.nanoTime() / 1_000_000;
    }

    /** Ends the play. Null: because the program wants it. Only the first end counts. */
    private void stop(@Nullable RuntimeException error) {
        if (end.isDone()) {
            return;
        }
        openTurns.cancelAll();
        if (session != null) {
            session.close();
        }
        if (error == null) {
            end.complete(null);
        } else {
            end.completeExceptionally(error);
        }
    }

    /** Returns why the play has ended, or null if it has not. */
    @Nullable Throwable failure() {
        return end.handle((done, error) -> error).getNow(null);
    }

    private void schedule(long delayMs, Runnable task) {
        thread.schedule(task, delayMs, MILLISECONDS);
    }

    /** Sends an item if there is a session. If there is none, the turn will be repeated. */
    private void send(BotItem item) {
        if (session != null) {
            session.send(item);
        }
    }

    /** Computes the answer to a turn on another thread. */
    private void choose(Turn turn) {
        seats.choose(turn, answer -> runLater(() -> openTurns.setAnswer(turn, answer)));
    }

    /** Runs a task on the thread of the player, unless the play is over. */
    private void runLater(Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            // The play is over.
        }
    }

    private static String describe(Status status) {
        String cause = status.getCause() == null ? "" : " (" + status.getCause().getMessage() + ")";
        return status.getCode() + ": " + status.getDescription() + cause;
    }

    /** Creates daemon threads, which do not keep the program running. */
    private static ThreadFactory daemonThreads() {
        return runnable -> {
            Thread thread = new Thread(runnable, "referee-client");
            thread.setDaemon(true);
            return thread;
        };
    }
}
