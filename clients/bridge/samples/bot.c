/* A bot in C: plays any of its legal moves. Compile it with `cc -o bot bot.c`, and run it with
   `referee match ./bot random`. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Returns the number of moves, and lets `chosen` point to one of them. */
static int choose(char *moves, char **chosen) {
    int count = 0;
    for (char *move = strtok(moves, "\""); move != NULL; move = strtok(NULL, "\"")) {
        if (strcmp(move, ",") != 0 && rand() % ++count == 0) { /* Your strategy goes here. */
            *chosen = move;
        }
    }
    return count;
}

int main(void) {
    static const char turn[] = "{\"type\":\"turn\",", mark[] = "\"legal_moves\":[";
    char *line = NULL;
    size_t size = 0;
    srand((unsigned)time(NULL));
    while (getline(&line, &size, stdin) > 0) {
        char *moves = strstr(line, mark);
        char *chosen = NULL;
        if (strncmp(line, turn, sizeof turn - 1) != 0 || moves == NULL) {
            continue;
        }
        moves += sizeof mark - 1;
        moves[strcspn(moves, "]")] = '\0';
        if (choose(moves, &chosen) > 0) {
            printf("%s\n", chosen);
            fflush(stdout);
        }
    }
    free(line);
    return 0;
}
