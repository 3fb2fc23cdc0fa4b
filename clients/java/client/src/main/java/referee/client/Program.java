package referee.client;

import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.util.ResourceBundle;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Makes a program of a bot: settings from the environment, signals, standard error, exit statuses.
 *
 * <p>The status is 0 after SIGINT or SIGTERM, 2 if a setting is invalid, 3 if a newer session of
 * the same bot has taken over its seats, and 4 if the referee rejects the bot.
 */
public final class Program {
    private static final int STOPPED = 0;
    private static final int MISCONFIGURED = 2;
    private static final int TAKEN_OVER = 3;
    private static final int REJECTED = 4;

    private Program() {}

    /**
     * Plays until the program is stopped: {@code System.exit(Program.run(bot))}.
     *
     * @param bot the bot
     * @return the exit status
     */
    public static int run(Bot bot) {
        return run(bot, settings -> settings);
    }

    /**
     * Plays until the program is stopped, with other settings than those of the environment.
     *
     * @param bot the bot
     * @param change changes the settings, such as {@code settings -> settings.view()}
     * @return the exit status
     */
    public static int run(Bot bot, UnaryOperator<Client.Builder> change) {
        return playUntilStopped(change, client -> client.play(bot));
    }

    /**
     * Plays until the program is stopped, with an object for each seat of each match.
     *
     * @param bots makes the bot of another seat, such as {@code MyBot::new}
     * @return the exit status
     */
    public static int runPerSeat(Supplier<? extends SeatBot> bots) {
        return runPerSeat(bots, settings -> settings);
    }

    /**
     * Plays like {@link #runPerSeat(Supplier)}, with other settings than those of the environment.
     *
     * @param bots makes the bot of another seat, such as {@code MyBot::new}
     * @param change changes the settings, such as {@code settings -> settings.view()}
     * @return the exit status
     */
    public static int runPerSeat(
            Supplier<? extends SeatBot> bots, UnaryOperator<Client.Builder> change) {
        return playUntilStopped(change, client -> client.playPerSeat(bots));
    }

    private interface Play {
        void start(Client client) throws InterruptedException;
    }

    private static int playUntilStopped(UnaryOperator<Client.Builder> change, Play play) {
        StandardError log = new StandardError(System.err);
        // Before signals are caught: the token may be in a pipe into which nobody writes.
        try (Client client = change.apply(Client.fromEnvironment().logger(log)).build()) {
            Runnable ended = onSignals(client::close);
            try {
                play.start(client);
            } finally {
                ended.run();
            }
            return STOPPED;
        } catch (PlayException e) {
            log.log(System.Logger.Level.ERROR, e.getMessage());
            return exitStatus(e);
        } catch (InterruptedException e) {
            return STOPPED;
        }
    }

    /**
     * Stops the play at SIGINT and SIGTERM.
     *
     * @return what is to be called when the play has ended
     */
    private static Runnable onSignals(Runnable stop) {
        try {
            onSignal("INT", stop);
            onSignal("TERM", stop);
            return () -> {};
        } catch (ClassNotFoundException e) { // On the module path, jdk.unsupported may be missing.
            return atShutdown(stop);
        }
    }

    /**
     * Stops the play when a signal has begun to end the process, which then exits with status 0.
     */
    private static Runnable atShutdown(Runnable stop) {
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook =
                new Thread(
                        () -> {
                            stop.run();
                            try {
                                ended.await();
                            } catch (InterruptedException e) {
                                // Then it ends at once.
                            }
                            Runtime.getRuntime().halt(STOPPED);
                        });
        Runtime.getRuntime().addShutdownHook(hook);
        return () -> {
            ended.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The process ends already.
            }
        };
    }

    /**
     * Replaces the handler of a signal, after which the process would exit with another status.
     *
     * <p>The classes are found at run time: a compiler cannot be kept from warning of them.
     */
    private static void onSignal(String name, Runnable action) throws ClassNotFoundException {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object running =
                    Proxy.newProxyInstance(
                            Program.class.getClassLoader(),
                            new Class<?>[] {handler},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("handle")) {
                                    action.run();
                                }
                                return null;
                            });
            Object named = signal.getConstructor(String.class).newInstance(name);
            signal.getMethod("handle", signal, handler).invoke(null, named, running);
        } catch (ClassNotFoundException e) {
            throw e;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the handler of a signal cannot be replaced", e);
        }
    }

    static int exitStatus(PlayException end) {
        if (end instanceof SettingException) {
            return MISCONFIGURED;
        }
        return end instanceof TakenOverException ? TAKEN_OVER : REJECTED;
    }

    /** Writes each message as one line, and below it the stack trace of the bot's own errors. */
    private record StandardError(PrintStream stream) implements System.Logger {
        @Override
        public String getName() {
            return "referee.client";
        }

        @Override
        public boolean isLoggable(Level level) {
            return level.compareTo(Level.INFO) >= 0;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            if (isLoggable(level)) {
                stream.println("referee-client: " + message);
                if (thrown != null) {
                    thrown.printStackTrace(stream);
                }
            }
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
            log(level, bundle, format, (Throwable) null);
        }
    }
}
