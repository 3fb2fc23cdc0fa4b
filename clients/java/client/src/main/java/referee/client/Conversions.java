package referee.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ProtocolMessageEnum;
import com.google.rpc.ErrorInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import referee.api.v1.ErrorDetail;
import referee.api.v1.ErrorReason;
import referee.api.v1.MatchEnded;
import referee.api.v1.Rules;
import referee.api.v1.SeatResult;

/** Conversions of messages of the contract to the types of this library, which are its own. */
final class Conversions {
    private Conversions() {}

    /** Converts a turn. Its rules may have arrived before it. */
    static Turn turn(referee.api.v1.Turn message, Rules rules) {
        Turn.Builder turn =
                Turn.builder(rules.getGame())
                        .options(rules.getOptionsMap())
                        .matchId(message.getMatchId())
                        .seat(message.getSeat())
                        .token(message.getTurnToken())
                        .ply(message.getPly())
                        .position(message.getPosition())
                        .view(message.getViewJson())
                        .history(
                                message.getMoveHistoryList().stream()
                                        .map(move -> new PlayedMove(move.getSeat(), move.getMove()))
                                        .toList())
                        .legalMoves(message.getLegalMovesList())
                        .legalMovesTruncated(message.getLegalMovesTruncated())
                        .clocks(message.getClocksList().stream().map(Conversions::clock).toList())
                        .attemptsLeft(message.getAttemptsLeft())
                        .drawOffers(message.getDrawOfferSeatsList())
                        .simultaneous(message.getSimultaneous())
                        .repeated(message.getRepeated());
        if (message.hasTimeLeftMs()) {
            turn.timeLeft(Duration.ofMillis(Math.max(0, message.getTimeLeftMs())));
        }
        return turn.build();
    }

    private static Clock clock(referee.api.v1.Clock message) {
        return new Clock(
                message.getSeat(),
                message.getRunning(),
                message.hasTimeLeftUs()
                        ? Optional.of(micros(message.getTimeLeftUs()))
                        : Optional.empty(),
                micros(message.getMainUs()),
                micros(message.getPeriodUs()),
                message.getPeriodsLeft(),
                message.getMovesLeft());
    }

    private static Duration micros(long number) {
        return Duration.of(Math.max(0, number), ChronoUnit.MICROS);
    }

    static Match match(referee.api.v1.Match message) {
        Rules rules = message.getTerms().getRules();
        return new Match(
                message.getId(),
                rules.getGame(),
                rules.getOptionsMap(),
                message.getSeatLayout().getSeatNamesList(),
                message.getSeatLayout().getSidesList().stream()
                        .map(side -> side.getSeatsList())
                        .toList(),
                message.getSeatsList().stream().map(seat -> seat.getBot()).toList(),
                message.getTitle(),
                message.getLadder(),
                message.getTournament(),
                message.hasResult() ? Optional.of(result(message.getResult())) : Optional.empty());
    }

    static End end(MatchEnded message) {
        return new End(message.getMatchId(), message.getSeat(), result(message.getResult()));
    }

    private static Result result(referee.api.v1.Result message) {
        List<SeatResult> seats = message.getSeatsList();
        return switch (message.getKindCase()) {
            case PLAYED, FORFEITED ->
                    new Result(
                            message.hasPlayed() ? Result.Kind.PLAYED : Result.Kind.FORFEITED,
                            reason(message),
                            seats.stream().map(SeatResult::getScore).toList(),
                            seats.stream().map(SeatResult::getRank).toList());
            default -> new Result(Result.Kind.VOID, reason(message), List.of(), List.of());
        };
    }

    private static String reason(referee.api.v1.Result result) {
        return switch (result.getKindCase()) {
            case PLAYED ->
                    result.getPlayed().getReason().isEmpty()
                            ? word(
                                    result.getPlayed().getEnding(),
                                    result.getPlayed().getEndingValue())
                            : result.getPlayed().getReason();
            case FORFEITED ->
                    result.getForfeited().getForfeitsList().stream()
                            .findFirst()
                            .map(forfeit -> word(forfeit.getCause(), forfeit.getCauseValue()))
                            .orElse("");
            case VOIDED -> word(result.getVoided().getCause(), result.getVoided().getCauseValue());
            default -> "";
        };
    }

    /** Returns FORFEIT_CAUSE_TIME as "time". A value that is newer than this client is a number. */
    private static String word(ProtocolMessageEnum value, int number) {
        if (value.toString().equals("UNRECOGNIZED")) {
            return Integer.toString(number);
        }
        return value.toString()
                .replaceFirst("^(ENDING|(FORFEIT|VOID)_CAUSE)_", "")
                .toLowerCase(Locale.ROOT);
    }

    /** Converts an error. A reason that is newer than this client is a number. */
    static RefereeError error(ErrorDetail message) {
        String reason =
                message.getReason() == ErrorReason.UNRECOGNIZED
                        ? Integer.toString(message.getReasonValue())
                        : message.getReason().name().replaceFirst("^ERROR_REASON_", "");
        return new RefereeError(reason, message.getMessage(), message.getMetadataMap());
    }

    /** Returns the status of a failed connection with what is likely wrong, which gRPC omits. */
    static Status withLikelyCause(Status status) {
        String text = status.getDescription() + status.getCause();
        String likely = "";
        if (text.contains("Network closed for unknown reason")) {
            likely =
                    "; the server may use TLS at this port: set BOT_CA to the file of its"
                            + " certificate authority, or, for another machine with a public one,"
                            + " do not set BOT_PLAINTEXT";
        } else if (text.contains("not an SSL/TLS record")) {
            likely =
                    "; the server uses no TLS at this port: do not set BOT_CA, and for another"
                            + " machine set BOT_PLAINTEXT=1";
        }
        return likely.isEmpty() ? status : status.withDescription(status.getDescription() + likely);
    }

    /** Converts the end of a stream. Details may be missing or malformed. */
    static RefereeError error(Status status, Metadata trailers) {
        String message = Optional.ofNullable(withLikelyCause(status).getDescription()).orElse("");
        return errorInfo(status, trailers)
                .map(info -> new RefereeError(info.getReason(), message, info.getMetadataMap()))
                .orElseGet(() -> new RefereeError(status.getCode().name(), message, Map.of()));
    }

    private static Optional<ErrorInfo> errorInfo(Status status, Metadata trailers) {
        try {
            for (var detail :
                    StatusProto.fromStatusAndTrailers(status, trailers).getDetailsList()) {
                if (detail.is(ErrorInfo.class)) {
                    return Optional.of(detail.unpack(ErrorInfo.class));
                }
            }
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            // They are malformed, and only the status code decides.
        }
        return Optional.empty();
    }
}
