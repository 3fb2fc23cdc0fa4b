package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

class ClientTest {
    private static final Bot BOT = turn -> "c2-c3";

    /** A client of a server that does not exist, which does something when it has noticed that. */
    private static Client onDisconnected(Consumer<Client> action) {
        AtomicReference<Client> self = new AtomicReference<>();
        TestLogger logger = new TestLogger(line -> action.accept(self.get()));
        self.set(Client.builder("127.0.0.1:1", "secret").logger(logger).build());
        return self.get();
    }

    @Test
    void playReturnsWhenItsClientIsClosed() throws InterruptedException {
        Client client = onDisconnected(Client::close);
        client.play(BOT);
        client.play(BOT); // It is still closed.
    }

    @Test
    void anInterruptionEndsPlay() {
        Thread thread = Thread.currentThread();
        Client client = onDisconnected(playing -> thread.interrupt());
        assertThrows(InterruptedException.class, () -> client.play(BOT));
    }

    @Test
    void aClientPlaysOnceAtATime() throws InterruptedException {
        AtomicReference<Throwable> second = new AtomicReference<>();
        Client client =
                onDisconnected(
                        playing -> {
                            try {
                                playing.play(BOT);
                            } catch (IllegalStateException | InterruptedException e) {
                                second.set(e);
                            }
                            playing.close();
                        });
        client.play(BOT);
        assertEquals(IllegalStateException.class, second.get().getClass());
    }

    @Test
    void aSettingIsCheckedBeforeAnythingIsConnected() {
        Client.Builder builder = Client.builder("localhost:7700", "secret");
        SettingException thrown =
                assertThrows(SettingException.class, () -> builder.maxMatches(1L << 32).build());
        assertEquals("BOT_MAX_MATCHES", thrown.variable());
        assertThrows(IllegalArgumentException.class, () -> builder.maxLegalMoves(-1));
        Client.Builder ownCa = Client.builder("localhost:7700", "secret").caPem(new byte[0]);
        thrown = assertThrows(SettingException.class, ownCa::build);
        assertEquals("BOT_CA has no certificate in PEM", thrown.getMessage());
    }

    @Test
    void helloHasWhatTheBuilderWasTold() {
        Client.Builder builder =
                Client.builder("localhost:7700", "secret").games("trox").fullHistory().view();
        referee.api.v1.Hello hello = Settings.of(builder.maxLegalMoves(7)).hello();
        assertEquals("[trox]", hello.getGamesList().toString());
        assertEquals(7, hello.getTurnOptions().getMaxLegalMoves());
        assertEquals(true, hello.getTurnOptions().getIncludeView());
        assertEquals(true, hello.getTurnOptions().getFullMoveHistory());
    }

    @Test
    void annotationsTellThatNothingPublicIsNull() {
        assertTrue(Client.class.getPackage().isAnnotationPresent(NullMarked.class));
    }
}
