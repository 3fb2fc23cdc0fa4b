// A bot in C, which plays the first legal move in every game.
#include <stdio.h>

#include "referee/client.h"

static void choose(const referee_turn* turn, referee_answer* answer, void* user) {
    (void)user;
    referee_answer_move(answer, referee_turn_legal_move(turn, 0));
}

static void print_start(const char* match_id, unsigned seat, const char* result, void* user) {
    (void)result;
    (void)user;
    fprintf(stderr, "match %s, seat %u: started\n", match_id, seat);
}

static void print_end(const char* match_id, unsigned seat, const char* result, void* user) {
    (void)user;
    fprintf(stderr, "match %s, seat %u: %s\n", match_id, seat, result);
}

static void print(int level, const char* message, void* user) {
    (void)level;
    (void)user;
    fprintf(stderr, "%s\n", message);
}

int main(void) {
    referee_client* client = referee_client_new(choose, NULL);
    if (!client) return REFEREE_FAILED;
    referee_client_read_environment(client);
    referee_client_tell(client, print_start, print_end);
    referee_client_log(client, print);
    const int status = referee_client_play(client);
    fprintf(stderr, "%s\n", referee_client_error(client));
    referee_client_free(client);
    return status;
}
