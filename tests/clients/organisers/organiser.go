// The program registers a bot, lets it play a match against itself, watches it, and prints what it has seen as lines.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"referee.example/referee"
)

func first(_ context.Context, turn *referee.Turn) (referee.Answer, error) {
	return referee.Move(turn.LegalMoves[0]), nil
}

func main() {
	ctx, stop := context.WithCancel(context.Background())
	client, err := referee.NewClient(referee.WithEnvironment(os.Getenv))
	check(err)
	defer client.Close()
	token, err := client.RegisterBot(ctx, "gopher", "plays whatever comes first")
	check(err)
	_, err = client.RegisterBot(ctx, "gopher", "again")
	if refused := (*referee.Error)(nil); errors.As(err, &refused) {
		fmt.Println("error", refused.Reason)
	}
	played := make(chan error, 1)
	go func() {
		environment := referee.WithEnvironment(os.Getenv)
		played <- referee.Play(ctx, referee.BotFunc(first), environment, referee.WithToken(token))
	}()
	terms := referee.MatchTerms{
		Game: "alquerque", Clock: referee.Fischer(time.Hour, time.Second), StartTimeout: 10 * time.Minute, Title: "test",
	}
	match, err := client.CreateMatch(ctx, terms, "gopher", "gopher")
	check(err)
	fmt.Println("match", match.Game, match.Title, strings.Join(match.Bots, " "))
	moves, next := 0, uint64(1)
	for entry, err := range client.Watch(ctx, match.ID, 0) {
		check(err)
		if entry.Number != next {
			log.Fatalf("entry %d follows %d", entry.Number, next-1)
		}
		next++
		if entry.Move != nil {
			moves++
		}
	}
	fmt.Println("moves", moves > 0)
	result, err := client.Result(ctx, match.ID)
	check(err)
	fmt.Println("result", result.Kind, len(result.Scores))
	record, err := client.Record(ctx, match.ID)
	check(err)
	fmt.Println("record", strings.Count(record, "\n") >= moves)
	match, err = client.Match(ctx, match.ID)
	check(err)
	fmt.Println("over", match.Result.Kind == result.Kind)
	stop()
	fmt.Println("stopped", errors.Is(<-played, context.Canceled))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
