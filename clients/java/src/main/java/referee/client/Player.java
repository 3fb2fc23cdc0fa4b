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
import java.util.regex.Pattern;
import referee.api.v1.BotItem;
import referee.api.v1.Hello;
import referee.api.v1.Move;
import referee.api.v1.Pong;
import referee.api.v1.RefereeItem;
import referee.api.v1.Resignation;
import referee.api.v1.Turn;
import referee.api.v1.Welcome;
import sun.misc.Signal;

/**
 * Plays in one session after the other, until it is stopped.
 *
 * <p>It runs on a single thread, except for the bot's code, which has as many threads as it needs.
 */
final class Player implements Session.Listener {
    static final int MISCONFIGURED = 2;

    private static final String CLIENT = "referee-client-java/0.1.0";
    private static final int STOPPED = 0;
    private static final int TAKEN_OVER = 3;
    private static final int REFUSED = 4;

    /** No game has longer moves, and the referee rejects longer texts. */
    private static final int MOVE_CHARS = 1000;

    private static final Pattern LONE_SURROGATE = Pattern.compile("\\p{Cs}");

    /** A position can have thousands of moves. */
    private static final int MAX_MESSAGE_BYTES = 64 << 20;

    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(daemons());
    private final ExecutorService thinkers = Executors.newCachedThreadPool(daemons());
    private final CompletableFuture<Integer> status = new CompletableFuture<>();
    private final Backoff backoff = new Backoff();
    private final Desk desk = new Desk(this::think, this::say, this::after);
    private final Bot bot;
    private final String referee;
    private final String token;
    private final ManagedChannelBuilder<?> channels;
    private final Hello.Builder hello;
    private Session session;
    private OptionalLong awayMs = OptionalLong.empty();

    /**
     * @throws IllegalArgumentException if the settings cannot be; the message says what is wrong
     */
    Player(Bot bot, Settings settings) {
        this.bot = bot;
        referee = settings.hostPort();
        token = settings.token();
        channels = settings.channels().executor(thread).maxInboundMessageSize(MAX_MESSAGE_BYTES);
        hello =
                Hello.newBuilder()
                        .setVersion(settings.version())
                        .setMaxMatches(settings.maxMatches())
                        .setVerdictsWithTurns(settings.verdictsWithTurns())
                        .setTurnOptions(bot.turnOptions())
                        .setClient(CLIENT);
    }

    /** As {@link Bot#run}. */
    int play() throws InterruptedException {
        for (String name : new String[] {"INT", "TERM"}) {
            // The default signal handlers would exit with another status.
            Signal.handle(new Signal(name), signal -> thread.execute(() -> stop(STOPPED)));
        }
        thread.execute(this::open);
        int exitStatus = status.join();
        thinkers.shutdown();
        if (session != null) {
            session.awaitEnd();
        }
        thread.shutdownNow();
        return exitStatus;
    }

    private void open() {
        session = new Session(channels.build(), token, thread, this);
        say(BotItem.newBuilder().setHello(hello).build());
    }

    @Override
    public void hear(RefereeItem said) {
        switch (said.getItemCase()) {
            case PING -> {
                Pong pong = Pong.newBuilder().setId(said.getPing().getId()).build();
                say(BotItem.newBuilder().setPong(pong).build());
            }
            case TURN -> desk.asked(said.getTurn());
            case VERDICT -> desk.judged(said.getVerdict());
            case TURN_EXPIRED -> desk.lapsed(said.getTurnExpired());
            case MATCH_ENDED -> desk.ended(said.getMatchEnded().getMatchId());
            case WELCOME -> welcomed(said.getWelcome());
            case DRAINING -> awayMs = OptionalLong.of(said.getDraining().getReconnectDelayMs());
            case SESSION_TAKEN_OVER -> takenOver();
            case NOTICE -> System.err.println("referee: " + said.getNotice().getMessage());
            default -> {} // Nothing to answer, or unknown to this client.
        }
    }

    private void welcomed(Welcome welcome) {
        backoff.welcomed(nowMs());
        session.welcomed(welcome.getHeartbeatTimeoutMs());
        // Keep the version for later sessions, even if a newer one is registered: the seats belong
        // to it.
        hello.setVersion(welcome.getVersion());
        complain(
                "connected to %s as %s, version %s"
                        .formatted(referee, welcome.getBot(), welcome.getVersion()));
    }

    @Override
    public void ended(Status how) {
        if (status.isDone()) {
            return;
        }
        session = null;
        switch (how.getCode()) {
            // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
            case ABORTED -> takenOver();
            case UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT -> {
                complain(sentence(how));
                stop(REFUSED);
            }
            default -> comeBack(sentence(how));
        }
    }

    private void comeBack(String why) {
        double chance = ThreadLocalRandom.current().nextDouble();
        long waitMs =
                awayMs.isPresent()
                        ? backoff.afterDrainingMs(awayMs.getAsLong(), chance)
                        : backoff.nextMs(nowMs(), chance);
        awayMs = OptionalLong.empty();
        complain("%s; back in %.1f s".formatted(why, waitMs / 1000.0));
        thread.schedule(this::open, waitMs, MILLISECONDS);
    }

    private static long nowMs() {
        return System.nanoTime() / 1_000_000;
    }

    private void takenOver() {
        complain("another copy of this bot has taken its seats");
        stop(TAKEN_OVER);
    }

    private void stop(int exitStatus) {
        desk.clear();
        if (session != null) {
            session.hangUp();
        }
        status.complete(exitStatus);
    }

    private void after(long ms, Runnable what) {
        thread.schedule(what, ms, MILLISECONDS);
    }

    /** Sends an item if there is a session; otherwise the turn will be sent again. */
    private void say(BotItem item) {
        if (session != null) {
            session.say(item);
        }
    }

    private void think(Asked asked) {
        asked.thoughtAboutBy(
                thinkers.submit(
                        () -> {
                            BotItem answer = answer(bot, asked);
                            thread.execute(() -> desk.found(asked, answer));
                        }));
    }

    /** Returns the bot's move, or its resignation if its code fails. */
    static BotItem answer(Bot bot, Asked asked) {
        Turn turn = asked.turn();
        try {
            Move.Builder move =
                    Move.newBuilder()
                            .setMatchId(turn.getMatchId())
                            .setTurnToken(turn.getTurnToken());
            move.setMove(sendable(turn, bot.choose(asked)));
            return BotItem.newBuilder().setMove(move).build();
        } catch (Throwable why) { // Including errors: the other matches continue.
            if (asked.wanted()) {
                why.printStackTrace();
            }
            Resignation.Builder resignation =
                    Resignation.newBuilder().setMatchId(turn.getMatchId()).setSeat(turn.getSeat());
            return BotItem.newBuilder().setResignation(resignation).build();
        }
    }

    /**
     * Returns the move, or a similar one that the referee rejects if the move cannot be sent. It
     * would break the stream, and with it all other matches; this way it costs one attempt.
     */
    static String sendable(Turn turn, String move) {
        String where = "match %s, seat %d: the answer".formatted(turn.getMatchId(), turn.getSeat());
        String sent = LONE_SURROGATE.matcher(move).replaceAll("\ufffd");
        if (!sent.equals(move)) {
            complain(where + " is not valid UTF-8; the referee will refuse it");
        }
        int chars = sent.codePointCount(0, sent.length());
        if (chars > MOVE_CHARS) {
            complain(
                    "%s has %d characters, the limit is %d; the referee will refuse it"
                            .formatted(where, chars, MOVE_CHARS));
            sent = sent.substring(0, sent.offsetByCodePoints(0, MOVE_CHARS + 1));
        }
        return sent;
    }

    private static String sentence(Status how) {
        String cause = how.getCause() == null ? "" : " (" + how.getCause().getMessage() + ")";
        return how.getCode() + ": " + how.getDescription() + cause;
    }

    static void complain(String sentence) {
        System.err.println("referee-client: " + sentence);
    }

    /** Daemon threads, which do not keep the program running. */
    private static ThreadFactory daemons() {
        return runnable -> {
            Thread made = new Thread(runnable, "referee-client");
            made.setDaemon(true);
            return made;
        };
    }
}
