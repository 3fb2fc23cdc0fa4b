package referee.client;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import referee.api.v1.BotItem;
import referee.api.v1.Hello;
import referee.api.v1.Match;
import referee.api.v1.MatchEnded;
import referee.api.v1.Move;
import referee.api.v1.Pong;
import referee.api.v1.RefereeItem;
import referee.api.v1.Resignation;
import referee.api.v1.Turn;
import referee.api.v1.Welcome;
import sun.misc.Signal;

/**
 * Plays until it is stopped, and opens a new session after each one that ends.
 *
 * <p>It runs on a single thread, except for the bot's code, which has as many threads as it needs.
 */
final class Player implements Session.Listener {
    static final int MISCONFIGURED = 2;

    private static final String CLIENT = "referee-client-java/0.1.0";
    private static final int STOPPED = 0;
    private static final int TAKEN_OVER = 3;
    private static final int REJECTED = 4;

    /** No game has longer moves, and the referee rejects longer texts. */
    private static final int MAX_MOVE_CHARS = 1000;

    private static final Pattern LONE_SURROGATE = Pattern.compile("\\p{Cs}");

    /** A position can have thousands of moves. */
    private static final int MAX_MESSAGE_BYTES = 64 << 20;

    private final ScheduledExecutorService executor =
            Executors.newSingleThreadScheduledExecutor(daemonThreads());
    private final ExecutorService botExecutor = Executors.newCachedThreadPool(daemonThreads());
    final CompletableFuture<Integer> exitStatus = new CompletableFuture<>();
    private final Backoff backoff = new Backoff();
    final OpenTurns openTurns;
    private final Nonces nonces;
    private final Bot bot;
    private final String referee;
    private final String token;
    private final ManagedChannelBuilder<?> channelBuilder;
    final Hello.Builder hello;

    /** Null while there is none. */
    Connection session;

    /** Delay that a draining referee has requested. */
    private OptionalLong reconnectDelayMs = OptionalLong.empty();

    /**
     * @throws IllegalArgumentException if a setting is invalid; the message says why
     */
    Player(Bot bot, Settings settings) {
        this(bot, settings, null, null);
    }

    /**
     * @param choose computes the answer to a turn; null: the bot's threads do
     * @param scheduler runs tasks after a delay; null: the thread of the player does
     */
    Player(
            Bot bot,
            Settings settings,
            Consumer<TurnRequest> choose,
            OpenTurns.Scheduler scheduler) {
        this.bot = bot;
        openTurns =
                new OpenTurns(
                        choose == null ? this::choose : choose,
                        this::send,
                        scheduler == null ? this::schedule : scheduler);
        nonces = new Nonces(bot::nonce, Player::log);
        referee = settings.hostPort();
        token = settings.token();
        channelBuilder =
                settings.channelBuilder()
                        .executor(executor)
                        .maxInboundMessageSize(MAX_MESSAGE_BYTES);
        hello =
                Hello.newBuilder()
                        .setVersion(settings.version())
                        .setMaxMatches(settings.maxMatches())
                        .setVerdictsWithTurns(settings.verdictsWithTurns())
                        .setTurnOptions(bot.turnOptions())
                        .setClient(CLIENT);
    }

    /** Implements {@link Bot#run}. */
    int play() throws InterruptedException {
        for (String name : new String[] {"INT", "TERM"}) {
            // The default signal handlers would exit with another status.
            Signal.handle(new Signal(name), signal -> executor.execute(() -> stop(STOPPED)));
        }
        executor.execute(this::connect);
        int status = exitStatus.join();
        botExecutor.shutdown();
        if (session != null) {
            session.awaitClosed();
        }
        executor.shutdownNow();
        return status;
    }

    private void connect() {
        session = new Session(channelBuilder.build(), token, executor, this);
        send(BotItem.newBuilder().setHello(hello).build());
    }

    @Override
    public void onItem(RefereeItem item) {
        switch (item.getItemCase()) {
            case PING -> {
                Pong pong = Pong.newBuilder().setId(item.getPing().getId()).build();
                send(BotItem.newBuilder().setPong(pong).build());
            }
            case TURN -> openTurns.onTurn(item.getTurn());
            case VERDICT -> openTurns.onVerdict(item.getVerdict());
            case TURN_EXPIRED -> openTurns.onTurnExpired(item.getTurnExpired());
            case MATCH_ENDED -> {
                MatchEnded ended = item.getMatchEnded();
                nonces.onMatchEnded(ended.getMatchId(), ended.getSeedCommitment());
                openTurns.onMatchEnded(ended.getMatchId());
            }
            case NONCE_REQUEST -> send(nonces.onRequest(item.getNonceRequest()));
            case MATCH_STARTED -> {
                Match match = item.getMatchStarted().getMatch();
                openTurns.onMatchStarted(item.getMatchStarted());
                nonces.onMatchStarted(match.getId(), match.getSeedCommitment());
            }
            case WELCOME -> onWelcome(item.getWelcome());
            case DRAINING ->
                    reconnectDelayMs = OptionalLong.of(item.getDraining().getReconnectDelayMs());
            case SESSION_TAKEN_OVER -> onTakeover();
            case NOTICE -> System.err.println("referee: " + item.getNotice().getMessage());
            default -> {} // It needs no answer, or is unknown to this client.
        }
    }

    private void onWelcome(Welcome welcome) {
        backoff.onWelcome(nowMs());
        if (welcome.getHeartbeatTimeoutMs() > 0) {
            session.setHeartbeatTimeout(welcome.getHeartbeatTimeoutMs());
        }
        // Keep the version for later sessions, even if a newer one is registered: the seats belong
        // to it.
        hello.setVersion(welcome.getVersion());
        log(
                "connected to %s as %s, version %s"
                        .formatted(referee, welcome.getBot(), welcome.getVersion()));
    }

    @Override
    public void onEnd(Status status) {
        if (!isFinal(status)) {
            reconnect(describe(status));
        }
    }

    /**
     * Returns whether the bot stops, and stops it after a status for which reconnecting is no help.
     */
    boolean isFinal(Status status) {
        if (exitStatus.isDone()) {
            return true;
        }
        session = null;
        switch (status.getCode()) {
            // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
            case ABORTED -> onTakeover();
            case UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT -> {
                log(describe(status));
                stop(REJECTED);
            }
            default -> {}
        }
        return exitStatus.isDone();
    }

    private void reconnect(String reason) {
        long pauseMs = nextPauseMs(ThreadLocalRandom.current().nextDouble());
        log("%s; reconnecting in %.1f s".formatted(reason, pauseMs / 1000.0));
        executor.schedule(this::connect, pauseMs, MILLISECONDS);
    }

    /** Returns the pause before the next session; {@code random} is a number from 0 to 1. */
    long nextPauseMs(double random) {
        long pauseMs =
                reconnectDelayMs.isPresent()
                        ? backoff.afterDrainingMs(reconnectDelayMs.getAsLong(), random)
                        : backoff.nextMs(nowMs(), random);
        reconnectDelayMs = OptionalLong.empty();
        return pauseMs;
    }

    private static long nowMs() {
        return System.nanoTime() / 1_000_000;
    }

    private void onTakeover() {
        log("a newer session of this bot has taken over its seats");
        stop(TAKEN_OVER);
    }

    private void stop(int status) {
        openTurns.cancelAll();
        if (session != null) {
            session.close();
        }
        exitStatus.complete(status);
    }

    private void schedule(long delayMs, Runnable task) {
        executor.schedule(task, delayMs, MILLISECONDS);
    }

    /** Sends an item if there is a session. If there is none, the turn will be repeated. */
    private void send(BotItem item) {
        if (session != null) {
            session.send(item);
        }
    }

    /** Computes the answer to a turn on another thread. */
    private void choose(TurnRequest request) {
        request.setComputation(
                botExecutor.submit(
                        () -> {
                            BotItem answer = answer(bot, request);
                            executor.execute(() -> openTurns.setAnswer(request, answer));
                        }));
    }

    /** Returns the bot's move, or its resignation if its code fails. */
    static BotItem answer(Bot bot, TurnRequest request) {
        Turn turn = request.turn();
        try {
            Move.Builder move =
                    Move.newBuilder()
                            .setMatchId(turn.getMatchId())
                            .setTurnToken(turn.getTurnToken());
            move.setMove(sendable(turn, bot.choose(request)));
            return BotItem.newBuilder().setMove(move).build();
        } catch (Throwable e) { // Including errors, so that other matches continue.
            if (!request.isCancelled()) {
                e.printStackTrace();
            }
            Resignation.Builder resignation =
                    Resignation.newBuilder().setMatchId(turn.getMatchId()).setSeat(turn.getSeat());
            return BotItem.newBuilder().setResignation(resignation).build();
        }
    }

    /**
     * Returns the move, or a similar text that the referee rejects if the move cannot be sent.
     *
     * <p>Such a move would break the stream, and with it all other matches. The similar text costs
     * only one attempt.
     */
    static String sendable(Turn turn, String move) {
        String subject =
                "match %s, seat %d: the answer".formatted(turn.getMatchId(), turn.getSeat());
        String text = LONE_SURROGATE.matcher(move).replaceAll("\ufffd");
        if (!text.equals(move)) {
            log(subject + " is not valid UTF-8; the referee will reject it");
        }
        int chars = text.codePointCount(0, text.length());
        if (chars > MAX_MOVE_CHARS) {
            log(
                    "%s has %d characters, the limit is %d; the referee will reject it"
                            .formatted(subject, chars, MAX_MOVE_CHARS));
            text = text.substring(0, text.offsetByCodePoints(0, MAX_MOVE_CHARS + 1));
        }
        return text;
    }

    private static String describe(Status status) {
        String cause = status.getCause() == null ? "" : " (" + status.getCause().getMessage() + ")";
        return status.getCode() + ": " + status.getDescription() + cause;
    }

    static void log(String message) {
        System.err.println("referee-client: " + message);
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
