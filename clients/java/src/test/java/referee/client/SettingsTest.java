package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private final Map<String, String> environment =
            new HashMap<>(Map.of("BOT_TOKEN", "secret", "BOT_REFEREE", "referee.example:443"));

    private Settings settings() {
        return Settings.of(environment::get);
    }

    private String error() {
        return assertThrows(IllegalArgumentException.class, this::settings).getMessage();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"})
    void tlsIsNotUsedForThisMachineUnlessACaFileIsSet(String address) {
        environment.put("BOT_REFEREE", address);
        assertFalse(settings().tls());
        environment.put("BOT_CA", "roots.pem");
        assertTrue(settings().tls());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "referee.example:443",
                "10.0.0.1:1",
                "[2001:db8::1]:1",
                "127.0.0.1.evil.example:1",
                "localhost.evil.example:1"
            })
    void tlsIsUsedForOtherMachinesUnlessPlaintextIsSet(String address) {
        environment.put("BOT_REFEREE", address);
        assertTrue(settings().tls());
        environment.put("BOT_PLAINTEXT", "1");
        assertFalse(settings().tls());
    }

    @Test
    void theTokenIsReadFromAFileIfItIsNotSet(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "from-a-file\n");
        environment.put("BOT_TOKEN_FILE", file.toString());
        assertEquals("secret", settings().token());
        environment.remove("BOT_TOKEN");
        assertEquals("from-a-file", settings().token());
        environment.put("BOT_TOKEN_FILE", "/no/such");
        assertEquals("BOT_TOKEN_FILE: /no/such", error());
    }

    @Test
    void verdictsMayWaitForTurnsOnlyIfTheVariableIsOne() {
        assertFalse(settings().verdictsWithTurns());
        environment.put("BOT_VERDICTS_WITH_TURNS", "true");
        assertFalse(settings().verdictsWithTurns());
        environment.put("BOT_VERDICTS_WITH_TURNS", "1");
        assertTrue(settings().verdictsWithTurns());
    }

    @Test
    void anErrorNamesTheInvalidSetting() {
        environment.put("BOT_MAX_MATCHES", "many");
        assertEquals("BOT_MAX_MATCHES is not a number: many", error());
        environment.put("BOT_REFEREE", "here:65536");
        assertEquals("port out of range:65536", error());
        environment.put("BOT_REFEREE", "here");
        assertEquals("BOT_REFEREE is not HOST:PORT: here", error());
        environment.remove("BOT_REFEREE");
        assertEquals("BOT_REFEREE is not set", error());
    }
}
