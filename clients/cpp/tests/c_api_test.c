// The parts of the C interface that need no server, compiled by a C compiler.
#include <stdio.h>
#include <string.h>

#include "referee/client.h"

static int failures = 0;

#define EXPECT(condition)                                           \
    do {                                                            \
        if (!(condition)) {                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            ++failures;                                             \
        }                                                           \
    } while (0)

static void resign(const referee_turn* turn, referee_answer* answer, void* user) {
    (void)turn;
    (void)user;
    referee_answer_resign(answer);
}

static void count_messages(int level, const char* message, void* user) {
    (void)level;
    (void)message;
    ++*(int*)user;
}

static void test_an_invalid_setting_is_an_error_that_names_its_variable(void) {
    referee_client* client = referee_client_new(resign, NULL);
    referee_client_set(client, "BOT_REFEREE", "here");
    EXPECT(referee_client_play(client) == REFEREE_MISCONFIGURED);
    EXPECT(strstr(referee_client_error(client), "BOT_REFEREE is not HOST:PORT") != NULL);
    referee_client_free(client);
}

static void test_a_client_that_was_stopped_does_not_play(void) {
    int messages = 0;
    referee_client* client = referee_client_new(resign, &messages);
    referee_client_log(client, count_messages);
    referee_client_set(client, "BOT_REFEREE", "localhost:7700");
    referee_client_set(client, "BOT_TOKEN", "secret");
    referee_client_stop(client);
    EXPECT(referee_client_play(client) == REFEREE_STOPPED);
    EXPECT(strlen(referee_client_error(client)) == 0);
    EXPECT(messages == 0);
    referee_client_free(client);
}

int main(void) {
    test_an_invalid_setting_is_an_error_that_names_its_variable();
    test_a_client_that_was_stopped_does_not_play();
    return failures;
}
