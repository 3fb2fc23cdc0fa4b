/** @file
 * C interface of the client, for C and for languages that can call C.
 *
 *     static void choose(const referee_turn* turn, referee_answer* answer, void* user) {
 *         referee_answer_move(answer, referee_turn_legal_move(turn, 0));
 *     }
 *
 *     referee_client* client = referee_client_new(choose, NULL);
 *     referee_client_read_environment(client);
 *     int status = referee_client_play(client);
 *     referee_client_free(client);
 *
 * Texts are UTF-8. A text that is returned belongs to the object that it was asked of, and is valid
 * as long as that object. Turns and answers are valid during the call that has them as arguments.
 */
#ifndef REFEREE_CLIENT_H
#define REFEREE_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct referee_client referee_client;
typedef struct referee_turn referee_turn;
typedef struct referee_answer referee_answer;

/** Answers a turn. It must call one of the functions referee_answer_...; otherwise the seat
 * resigns. It is called on a thread of its own for each turn, for different seats at the same time.
 */
typedef void (*referee_choose)(const referee_turn* turn, referee_answer* answer, void* user);

/** Is told of the start or the end of a match, for each seat. `result` is "played", "forfeited" or
 * "voided"; NULL at the start. */
typedef void (*referee_tell)(const char* match_id, unsigned seat, const char* result, void* user);

/** Receives a message for the author of the bot. `level` is 0 for information, 1 for a warning, 2
 * for an error. It is called by several threads, also at the same time. */
typedef void (*referee_log)(int level, const char* message, void* user);

/** What referee_client_play returns. */
enum {
    REFEREE_STOPPED = 0,
    REFEREE_FAILED = 1, /**< Out of memory or threads, for example. */
    REFEREE_MISCONFIGURED = 2,
    REFEREE_TAKEN_OVER = 3, /**< By a newer session of the same bot. */
    REFEREE_REJECTED = 4    /**< By the server, for example because of an invalid token. */
};

/** Returns a client that plays with this function, or NULL if there is no memory. `user` is passed
 * to all functions of the bot. */
referee_client* referee_client_new(referee_choose choose, void* user);

/** Must not be called while the client plays. */
void referee_client_free(referee_client* client);

/** Sets what an environment variable would set: BOT_REFEREE, BOT_TOKEN, BOT_TOKEN_FILE, BOT_CA,
 * BOT_PLAINTEXT, BOT_VERSION, BOT_MAX_MATCHES or BOT_VERDICTS_WITH_TURNS. Invalid values are
 * reported by referee_client_play. */
void referee_client_set(referee_client* client, const char* variable, const char* value);

/** Lets referee_client_play take variables that are not set from the environment. */
void referee_client_read_environment(referee_client* client);

/** Sets functions that are called at the start and at the end of a match. Both may be NULL. */
void referee_client_tell(referee_client* client, referee_tell started, referee_tell ended);

void referee_client_log(referee_client* client, referee_log log);

/** Plays until referee_client_stop, and returns a status. It handles no signals. */
int referee_client_play(referee_client* client);

/** Thread-safe. A client that was stopped does not play again. */
void referee_client_stop(referee_client* client);

/** Returns why the last referee_client_play ended; empty if it was stopped. */
const char* referee_client_error(const referee_client* client);

const char* referee_turn_match_id(const referee_turn* turn);
unsigned referee_turn_seat(const referee_turn* turn);
const char* referee_turn_game(const referee_turn* turn);
/** Returns the value of an option of the game, NULL if there is no such option. */
const char* referee_turn_option(const referee_turn* turn, const char* name);
unsigned referee_turn_ply(const referee_turn* turn);
const char* referee_turn_position(const referee_turn* turn);
size_t referee_turn_legal_moves(const referee_turn* turn);
/** Returns a legal move, from 0; NULL if there are fewer. */
const char* referee_turn_legal_move(const referee_turn* turn, size_t number);
/** Returns the time until the flag falls, when the turn was sent; -1 without a clock. */
int64_t referee_turn_time_left_ms(const referee_turn* turn);
/** Returns the number of seats with an open draw offer. */
size_t referee_turn_draw_offers(const referee_turn* turn);
unsigned referee_turn_attempts_left(const referee_turn* turn);
/** Return the error of the previous answer, if this is another attempt at the same move; otherwise
 * NULL. */
const char* referee_turn_rejection_reason(const referee_turn* turn);
const char* referee_turn_rejection_message(const referee_turn* turn);
/** Returns 1 if the answer is no longer needed. Long computations should check it. */
int referee_turn_cancelled(const referee_turn* turn);

/** The last of these calls counts. The text is copied; NULL is an empty move, which the server
 * rejects. */
void referee_answer_move(referee_answer* answer, const char* move);
void referee_answer_move_and_offer_draw(referee_answer* answer, const char* move);
void referee_answer_resign(referee_answer* answer);
void referee_answer_accept_draw(referee_answer* answer);
void referee_answer_claim_draw(referee_answer* answer);

#ifdef __cplusplus
}
#endif

#endif
