package referee.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import referee.api.v1.Acceptance;
import referee.api.v1.BotItem;
import referee.api.v1.Draining;
import referee.api.v1.ErrorDetail;
import referee.api.v1.MatchEnded;
import referee.api.v1.MatchStarted;
import referee.api.v1.MatchTerms;
import referee.api.v1.Move;
import referee.api.v1.NonceRequest;
import referee.api.v1.Ping;
import referee.api.v1.RefereeItem;
import referee.api.v1.Rejection;
import referee.api.v1.Rules;
import referee.api.v1.SeatNonce;
import referee.api.v1.SeedCommitment;
import referee.api.v1.SessionTakenOver;
import referee.api.v1.StaleAnswer;
import referee.api.v1.TurnExpired;
import referee.api.v1.Verdict;
import referee.api.v1.Welcome;

/** The test vectors of clients, which are in {@code clients/vectors}. */
class VectorsTest {
    private static final Path FOLDER = Path.of("..", "..", "vectors");

    /** What this client offers of that which some vectors need. */
    private static final Set<String> OFFERED = Set.of("draws", "hooks", "rules");

    private static final Map<String, String> ENVIRONMENT =
            Map.of("BOT_REFEREE", "localhost:7700", "BOT_TOKEN", "secret");

    private static final OneofDescriptor KIND = BotItem.getDescriptor().getOneofs().get(0);
    private static final Gson GSON = new Gson();

    /** The names that the vectors have for fields of items that are sent. */
    private static final Map<String, String> FIELDS =
            Map.of(
                    "match_id", "match",
                    "seat", "seat",
                    "turn_token", "token",
                    "move", "move",
                    "offer_draw", "offer_draw",
                    "accept", "accept");

    private static JsonObject load(String name) {
        try {
            String text = Files.readString(FOLDER.resolve(name + ".json"));
            return JsonParser.parseString(text).getAsJsonObject();
        } catch (IOException e) {
            throw new IllegalStateException("the vectors are in clients/vectors", e);
        }
    }

    private static Stream<JsonObject> vectors(String name) {
        return objects(load(name).get("vectors"));
    }

    private static Stream<JsonObject> objects(JsonElement array) {
        Iterable<JsonElement> elements = array == null ? new JsonArray() : array.getAsJsonArray();
        return StreamSupport.stream(elements.spliterator(), false)
                .map(JsonElement::getAsJsonObject);
    }

    private static List<String> strings(JsonElement array) {
        List<String> all = new ArrayList<>();
        if (array != null) {
            array.getAsJsonArray().forEach(element -> all.add(element.getAsString()));
        }
        return all;
    }

    private static Map<String, String> map(JsonElement object) {
        Map<String, String> all = new HashMap<>();
        if (object != null) {
            object.getAsJsonObject()
                    .asMap()
                    .forEach((name, value) -> all.put(name, value.getAsString()));
        }
        return all;
    }

    private static String text(JsonObject object, String name) {
        return object.has(name) ? object.get(name).getAsString() : "";
    }

    private static int seat(JsonObject object) {
        return object.has("seat") ? object.get("seat").getAsInt() : 0;
    }

    private static ByteString unhex(String text) {
        return ByteString.copyFrom(HexFormat.of().parseHex(text));
    }

    private static Stream<DynamicTest> tests(Stream<JsonObject> vectors, VectorTest test) {
        return vectors.map(vector -> dynamicTest(text(vector, "name"), () -> test.run(vector)));
    }

    private interface VectorTest {
        void run(JsonObject vector) throws Exception;
    }

    /** A connection that records what is done with it. */
    private static final class Recorded implements Connection {
        final List<BotItem> sent = new ArrayList<>();

        @Override
        public void send(BotItem item) {
            sent.add(item);
        }

        @Override
        public void setHeartbeatTimeout(long ms) {}

        @Override
        public void close() {}

        @Override
        public void awaitClosed() {}
    }

    private record Timer(long atMs, Runnable task) {}

    /** The thread of a player, on which time passes in the steps of a vector only. */
    private static final class FakeThread extends ScheduledThreadPoolExecutor {
        private List<Timer> timers = new ArrayList<>();
        private long nowMs;

        FakeThread() {
            super(0);
        }

        /** Drops the answers of {@link Recorder}: the answers come from the steps. */
        @Override
        public void execute(Runnable task) {}

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            timers.add(new Timer(nowMs + unit.toMillis(delay), task));
            return null;
        }

        void advance(long ms) {
            nowMs += ms;
            List<Timer> before = timers;
            timers = new ArrayList<>();
            for (Timer timer : before) {
                if (timer.atMs <= nowMs) {
                    timer.task.run();
                } else {
                    timers.add(timer);
                }
            }
        }
    }

    /** A bot that writes down for what it is called, and what it is told. */
    private static final class Recorder implements SeatBot {
        List<Turn> turns = new ArrayList<>();
        List<JsonObject> tells = new ArrayList<>();

        @Override
        public void started(Match match, int seat) {
            tells.add(told("started", match.id(), seat));
        }

        @Override
        public Answer choose(Turn turn) {
            turns.add(turn);
            return new Answer.Resignation();
        }

        @Override
        public void ended(End end) {
            tells.add(told("ended", end.matchId(), end.seat()));
        }

        private static JsonObject told(String kind, String match, int seat) {
            JsonObject fields = new JsonObject();
            fields.addProperty("match", match);
            fields.addProperty("seat", seat);
            JsonObject form = new JsonObject();
            form.add(kind, fields);
            return form;
        }
    }

    /** A player without a connection, whose answers and time come from the steps of a vector. */
    private static final class Harness {
        final Recorded connection = new Recorded();
        final FakeThread thread = new FakeThread();
        final Recorder recorder = new Recorder();
        final List<String> reports = new ArrayList<>();
        final TestLogger logger = new TestLogger(reports::add);
        final Seats seats = new Seats(() -> recorder, Runnable::run, logger);
        final Player player;
        final List<Turn> allCalls = new ArrayList<>();
        final Set<Turn> answered = new HashSet<>();
        final Set<Turn> knownCancelled = new HashSet<>();
        final Map<String, Long> itemIds = new HashMap<>();

        Harness(Map<String, String> environment) {
            Client.Builder builder = Environment.read(environment::get).logger(logger);
            player = new Player(() -> recorder, Settings.of(builder), Runnable::run, thread);
            player.setSession(connection);
        }

        void run(JsonObject step) {
            connection.sent.clear();
            recorder.turns = new ArrayList<>();
            recorder.tells = new ArrayList<>();
            if (step.has("receive")) {
                objects(step.get("receive")).forEach(item -> player.onItem(item(item)));
            } else if (step.has("answer")) {
                answer(step.getAsJsonObject("answer"));
            } else if (step.has("stream")) {
                player.setSession(text(step, "stream").equals("opens") ? connection : null);
            } else {
                thread.advance(step.get("advance_ms").getAsLong());
            }
            allCalls.addAll(recorder.turns);
        }

        private void answer(JsonObject answer) {
            for (int i = allCalls.size() - 1; i >= 0; i--) {
                Turn turn = allCalls.get(i);
                if (keyOf(turn).equals(keyOf(answer))) {
                    SeatBot bot = asked -> given(answer);
                    player.openTurns.setAnswer(turn, seats.answer(() -> bot, turn));
                    answered.add(turn);
                    break;
                }
            }
            if (!connection.sent.isEmpty()) {
                itemIds.put(keyOf(answer), connection.sent.get(0).getItemId());
            }
        }

        private static Answer given(JsonObject answer) {
            if (answer.has("move")) {
                String move = text(answer, "move");
                return answer.has("offer_draw")
                        ? new Answer.Choice(move, true, OptionalInt.empty())
                        : new Answer.Move(move);
            } else if (answer.has("resigns")) {
                return new Answer.Resignation();
            } else if (answer.has("accepts_draw")) {
                return new Answer.DrawAcceptance();
            } else if (answer.has("claims_draw")) {
                return new Answer.DrawClaim();
            }
            assertTrue(answer.has("fails"), answer.toString());
            throw new IllegalStateException("no idea");
        }

        /** Returns the calls without an answer that are cancelled, and were not before. */
        List<String> newlyCancelled() {
            List<String> cancelled = new ArrayList<>();
            for (Turn turn : allCalls) {
                if (turn.isCancelled() && knownCancelled.add(turn) && !answered.contains(turn)) {
                    cancelled.add(keyOf(turn));
                }
            }
            return cancelled;
        }

        private RefereeItem item(JsonObject item) {
            String kind = item.keySet().iterator().next();
            JsonObject fields = item.getAsJsonObject(kind);
            String match = text(fields, "match");
            RefereeItem.Builder made = RefereeItem.newBuilder();
            switch (kind) {
                case "turn" -> {
                    referee.api.v1.Turn.Builder turn = made.getTurnBuilder();
                    turn.setMatchId(match).setSeat(seat(fields));
                    turn.setTurnToken(text(fields, "token")).setRepeated(fields.has("repeated"));
                    if (fields.has("game")) {
                        turn.setRules(Rules.newBuilder().setGame(text(fields, "game")));
                    }
                }
                case "verdict" -> made.setVerdict(verdict(fields));
                case "turn_expired" ->
                        made.setTurnExpired(
                                TurnExpired.newBuilder()
                                        .setMatchId(match)
                                        .setTurnToken(text(fields, "token")));
                case "match_started" -> {
                    Rules rules = Rules.newBuilder().setGame(text(fields, "game")).build();
                    MatchTerms terms = MatchTerms.newBuilder().setRules(rules).build();
                    made.setMatchStarted(
                            MatchStarted.newBuilder()
                                    .setSeat(seat(fields))
                                    .setMatch(
                                            referee.api.v1.Match.newBuilder()
                                                    .setId(match)
                                                    .setTerms(terms)));
                }
                case "match_ended" ->
                        made.setMatchEnded(
                                MatchEnded.newBuilder().setMatchId(match).setSeat(seat(fields)));
                case "ping" -> {
                    long id = Long.parseUnsignedLong(text(fields, "id"));
                    made.setPing(Ping.newBuilder().setId(id));
                }
                case "nonce_request" -> made.setNonceRequest(nonceRequest(fields));
                case "welcome" ->
                        made.setWelcome(Welcome.newBuilder().setVersion(text(fields, "version")));
                case "draining" -> {
                    long delayMs = fields.get("reconnect_delay_ms").getAsLong();
                    made.setDraining(Draining.newBuilder().setReconnectDelayMs(delayMs));
                }
                case "session_taken_over" ->
                        made.setSessionTakenOver(SessionTakenOver.getDefaultInstance());
                default -> throw new IllegalStateException("unknown item: " + kind);
            }
            return made.build();
        }

        private Verdict verdict(JsonObject fields) {
            Verdict.Builder verdict = Verdict.newBuilder().setMatchId(text(fields, "match"));
            verdict.setTurnToken(text(fields, "token"));
            if (fields.has("item_id_of")) {
                verdict.setItemId(itemIds.get(keyOf(fields.getAsJsonObject("item_id_of"))));
            }
            if (fields.has("rejected")) {
                JsonObject rejected = fields.getAsJsonObject("rejected");
                ErrorDetail.Builder error = ErrorDetail.newBuilder();
                error.setMessage(text(rejected, "message"));
                error.putAllMetadata(map(rejected.get("metadata")));
                verdict.setRejected(Rejection.newBuilder().setError(error));
            } else if (fields.has("stale")) {
                verdict.setStale(StaleAnswer.getDefaultInstance());
            } else if (fields.has("accepted")) {
                verdict.setAccepted(Acceptance.getDefaultInstance());
            }
            return verdict.build();
        }
    }

    private static NonceRequest nonceRequest(JsonObject fields) {
        return NonceRequest.newBuilder()
                .setMatchId(text(fields, "match"))
                .setSeat(seat(fields))
                .setCommitment(unhex(text(fields, "commitment")))
                .build();
    }

    private static String keyOf(JsonObject turn) {
        return text(turn, "match") + " " + seat(turn) + " " + text(turn, "token");
    }

    private static String keyOf(Turn turn) {
        return turn.matchId() + " " + turn.seat() + " " + turn.token();
    }

    /** Returns an item as the vectors have it. */
    private static JsonObject sentForm(BotItem item) {
        FieldDescriptor kind = item.getOneofFieldDescriptor(KIND);
        Message sent = (Message) item.getField(kind);
        JsonObject fields = new JsonObject();
        for (FieldDescriptor field : sent.getDescriptorForType().getFields()) {
            String name = FIELDS.get(field.getName());
            if (name != null && !sent.getField(field).equals(false)) {
                fields.add(name, GSON.toJsonTree(sent.getField(field)));
            }
        }
        if (item.hasPong()) {
            fields.addProperty("id", Long.toUnsignedString(item.getPong().getId()));
        }
        JsonObject form = new JsonObject();
        form.add(kind.getName(), fields);
        return form;
    }

    @TestFactory
    Stream<DynamicTest> turns() {
        vectors("turns").forEach(v -> assertTrue(OFFERED.containsAll(strings(v.get("needs")))));
        return tests(vectors("turns"), VectorsTest::runSteps);
    }

    @TestFactory
    Stream<DynamicTest> openTurns() {
        return tests(vectors("open_turns"), VectorsTest::runSteps);
    }

    private static void runSteps(JsonObject vector) {
        Harness harness = new Harness(ENVIRONMENT);
        Map<String, Long> itemIds = new HashMap<>();
        objects(vector.get("steps"))
                .forEach(
                        step -> {
                            harness.run(step);
                            checkStep(harness, step, itemIds);
                            if (strings(vector.get("needs")).contains("hooks")) {
                                checkTells(harness, step);
                            }
                        });
        assertEquals(itemIds.size(), new HashSet<>(itemIds.values()).size());
    }

    private static void checkTells(Harness harness, JsonObject step) {
        List<JsonObject> tells = objects(step.get("tells")).toList();
        assertEquals(tells.toString(), harness.recorder.tells.toString(), step.toString());
    }

    private static void checkStep(Harness harness, JsonObject step, Map<String, Long> itemIds) {
        String where = step.toString();
        List<JsonObject> sent =
                harness.connection.sent.stream().map(VectorsTest::sentForm).toList();
        List<JsonObject> sends = objects(step.get("sends")).toList();
        // As text: numbers that were read compare by their text too.
        assertEquals(sends.toString(), sent.toString(), where);
        List<String> cancels = objects(step.get("cancels")).map(VectorsTest::keyOf).toList();
        assertEquals(cancels, harness.newlyCancelled(), where);
        List<JsonObject> wanted = objects(step.get("calls")).toList();
        assertEquals(wanted.size(), harness.recorder.turns.size(), where);
        for (int i = 0; i < wanted.size(); i++) {
            Turn turn = harness.recorder.turns.get(i);
            assertEquals(keyOf(wanted.get(i)), keyOf(turn), where);
            JsonElement rejection = wanted.get(i).get("rejection");
            Optional<String> message =
                    rejection instanceof JsonNull
                            ? Optional.empty()
                            : Optional.of(rejection.getAsString());
            assertEquals(message, turn.rejection().map(RefereeError::message), where);
            if (wanted.get(i).has("game")) {
                assertEquals(text(wanted.get(i), "game"), turn.game());
            }
        }
        for (BotItem item : harness.connection.sent) {
            if (!item.hasPong() && !item.hasNonce()) {
                assertNotEquals(0, item.getItemId(), where);
                Long before = itemIds.put(sentForm(item).toString(), item.getItemId());
                assertTrue(before == null || before == item.getItemId(), where);
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> settings(@TempDir Path folder) {
        String certificate = text(load("settings"), "certificate");
        return tests(
                vectors("settings"),
                vector -> {
                    Path own = Files.createTempDirectory(folder, "files");
                    Map<String, String> files = map(vector.get("files"));
                    files.put("certificate.pem", certificate);
                    Map<String, String> environment = map(vector.get("environment"));
                    for (Map.Entry<String, String> file : files.entrySet()) {
                        Files.writeString(own.resolve(file.getKey()), file.getValue());
                    }
                    files.put("missing", "");
                    for (String file : files.keySet()) {
                        String path = own.resolve(file).toString();
                        environment.replaceAll(
                                (name, text) -> text.replace("{" + file + "}", path));
                    }
                    if (vector.has("error")) {
                        checkSettingError(vector, environment);
                    } else {
                        JsonObject effective = effective(settings(environment));
                        assertEquals(vector.get("settings").toString(), effective.toString());
                    }
                });
    }

    private static void checkSettingError(JsonObject vector, Map<String, String> environment) {
        SettingException thrown = assertThrows(SettingException.class, () -> settings(environment));
        String message = thrown.getMessage();
        assertTrue(thrown.variable().startsWith(text(vector, "error")), message);
        assertTrue(message.startsWith(thrown.variable()), message);
        assertEquals(vector.get("exit").getAsInt(), Program.exitStatus(thrown));
        if (vector.has("secret")) {
            assertFalse(message.contains(text(vector, "secret")), message);
        }
    }

    private static Settings settings(Map<String, String> environment) {
        return Settings.of(Environment.read(environment::get));
    }

    private static JsonObject effective(Settings settings) {
        JsonObject effective = new JsonObject();
        effective.addProperty("referee", settings.hostPort());
        effective.addProperty("tls", settings.tls());
        effective.addProperty("own_roots", settings.caPem().isPresent());
        effective.addProperty("token", settings.token());
        effective.addProperty("version", settings.hello().getVersion());
        effective.addProperty(
                "max_matches", Integer.toUnsignedLong(settings.hello().getMaxMatches()));
        effective.addProperty("verdicts_with_turns", settings.hello().getVerdictsWithTurns());
        return effective;
    }

    private static String repeated(JsonElement parts) {
        JsonArray array = parts.getAsJsonArray();
        return array.get(0).getAsString().repeat(array.get(1).getAsInt());
    }

    private static OptionalInt score(JsonObject vector, String name) {
        return vector.has(name) ? OptionalInt.of(vector.get(name).getAsInt()) : OptionalInt.empty();
    }

    /** Text in Java has no bytes that are not UTF-8, but halves of surrogate pairs. */
    @TestFactory
    Stream<DynamicTest> answers() {
        return tests(
                vectors("answers").filter(vector -> !vector.has("utf8")),
                vector -> {
                    StringBuilder given = new StringBuilder(text(vector, "text"));
                    if (vector.has("utf16")) {
                        vector.getAsJsonArray("utf16")
                                .forEach(unit -> given.append((char) unit.getAsInt()));
                    } else if (vector.has("repeat")) {
                        given.append(repeated(vector.get("repeat")));
                    }
                    Harness harness = new Harness(ENVIRONMENT);
                    String move = given.toString();
                    Answer answer =
                            vector.has("score")
                                    ? new Answer.Choice(move, false, score(vector, "score"))
                                    : new Answer.Move(move);
                    SeatBot bot = turn -> answer;
                    Turn turn = Turn.builder("troke").build();
                    Move message = harness.seats.answer(() -> bot, turn).getMove();
                    String sent = message.getMove();
                    assertEquals(
                            score(vector, "sent_score"),
                            message.hasScore()
                                    ? OptionalInt.of(message.getScore())
                                    : OptionalInt.empty());
                    if (vector.has("sent_pattern")) {
                        String pattern = text(vector, "sent_pattern");
                        assertTrue(Pattern.compile(pattern).matcher(sent).find(), sent);
                    } else {
                        String wanted =
                                vector.has("sent")
                                        ? text(vector, "sent")
                                        : repeated(vector.get("sent_repeat"));
                        assertEquals(wanted, sent);
                    }
                    assertEquals(vector.get("reports").getAsInt(), harness.reports.size());
                });
    }

    private static final Map<String, String> PROBLEMS =
            Map.of(
                    "commitment replaced", "the referee has replaced its commitment to the seed",
                    "seed does not match", "the seed of the referee does not match its commitment",
                    "nonce missing", "the seed was made without the nonce of seat",
                    "nonce replaced", "the seed was made with another nonce of seat",
                    "random nonce", "a random one is sent");

    @TestFactory
    Stream<DynamicTest> nonces() {
        return tests(vectors("nonces"), VectorsTest::runNonces);
    }

    private static byte[] ownNonce(JsonElement own) {
        return switch (own instanceof JsonNull ? "" : own.getAsString()) {
            case "" -> Nonces.randomNonce();
            case "fails" -> throw new IllegalStateException("no idea");
            case "large" -> new byte[65];
            default -> unhex(own.getAsString()).toByteArray();
        };
    }

    private static void runNonces(JsonObject vector) {
        List<String> reported = new ArrayList<>();
        Nonces nonces = new Nonces((match, seat) -> ownNonce(vector.get("own")), reported::add);
        List<ByteString> sent = new ArrayList<>();
        objects(vector.get("requests"))
                .map(VectorsTest::nonceRequest)
                .forEach(request -> sent.add(nonces.onRequest(request).getNonce().getNonce()));
        List<JsonObject> wanted = objects(vector.get("nonces")).toList();
        Set<ByteString> random = new HashSet<>();
        for (int i = 0; i < sent.size(); i++) {
            if (wanted.get(i).has("same_as")) {
                assertEquals(sent.get(wanted.get(i).get("same_as").getAsInt()), sent.get(i));
            } else if (text(wanted.get(i), "nonce").equals("random")) {
                assertEquals(Nonces.NONCE_BYTES, sent.get(i).size());
                assertTrue(random.add(sent.get(i)));
            } else {
                assertEquals(unhex(text(wanted.get(i), "nonce")), sent.get(i));
            }
        }
        if (vector.has("started")) {
            JsonObject started = vector.getAsJsonObject("started");
            ByteString commitment = unhex(text(started, "commitment"));
            nonces.onMatchStarted(
                    text(started, "match"),
                    SeedCommitment.newBuilder().setCommitment(commitment).build());
        }
        objects(vector.get("ended"))
                .forEach(ended -> nonces.onMatchEnded(text(ended, "match"), published(ended)));
        List<String> reports = strings(vector.get("reports"));
        assertEquals(reports.size(), reported.size(), reported.toString());
        for (int i = 0; i < reports.size(); i++) {
            assertTrue(reported.get(i).contains(PROBLEMS.get(reports.get(i))), reported.get(i));
        }
    }

    private static SeedCommitment published(JsonObject ended) {
        SeedCommitment.Builder published = SeedCommitment.newBuilder();
        published.setCommitment(unhex(text(ended, "commitment")));
        published.setSeed(unhex(text(ended, "seed")));
        List<String> nonces = strings(ended.get("nonces"));
        for (int seat = 0; seat < nonces.size(); seat++) {
            published.addNonces(
                    SeatNonce.newBuilder().setSeat(seat).setNonce(unhex(nonces.get(seat))));
        }
        return published.build();
    }

    @TestFactory
    Stream<DynamicTest> backoff() {
        return tests(
                vectors("backoff"),
                vector -> {
                    for (int random = 0; random < 2; random++) {
                        Backoff backoff = new Backoff();
                        long nowMs = 0;
                        for (JsonObject end : objects(vector.get("ends")).toList()) {
                            nowMs += 20_000;
                            if (!(end.get("welcomed_ms") instanceof JsonNull)) {
                                backoff.onWelcome(nowMs);
                                nowMs += end.get("welcomed_ms").getAsLong();
                            }
                            long pauseMs =
                                    end.has("draining_ms")
                                            ? backoff.afterDrainingMs(
                                                    end.get("draining_ms").getAsLong(), random)
                                            : backoff.nextMs(nowMs, end.has("open_turn"), random);
                            assertEquals(pauseOf(end, random), pauseMs, end.toString());
                        }
                    }
                });
    }

    private static long pauseOf(JsonObject vector, int random) {
        return vector.getAsJsonArray("pause_ms").get(random).getAsLong();
    }

    @TestFactory
    Stream<DynamicTest> ends() {
        return tests(
                vectors("ends"),
                vector -> {
                    for (int random = 0; random < 2; random++) {
                        Harness harness = new Harness(ENVIRONMENT);
                        objects(vector.get("received"))
                                .forEach(item -> harness.player.onItem(harness.item(item)));
                        JsonObject end = vector.getAsJsonObject("status");
                        Status status = Status.fromCode(Status.Code.valueOf(text(end, "code")));
                        if (harness.player.isFinal(status, trailers(end.get("details")))) {
                            PlayException thrown = (PlayException) harness.player.failure();
                            int exit = vector.get("exit").getAsInt();
                            assertEquals(exit, Program.exitStatus(thrown));
                        } else {
                            int failures =
                                    vector.has("failures") ? vector.get("failures").getAsInt() : 0;
                            for (int failure = 0; failure < failures; failure++) {
                                harness.player.nextPauseMs(random);
                            }
                            long pauseMs = harness.player.nextPauseMs(random);
                            assertEquals(pauseOf(vector, random), pauseMs);
                        }
                    }
                });
    }

    private static Metadata trailers(JsonElement details) {
        Metadata trailers = new Metadata();
        if (!(details instanceof JsonNull)) {
            Metadata.Key<byte[]> key =
                    Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
            trailers.put(key, unhex(details.getAsString()).toByteArray());
        }
        return trailers;
    }
}
