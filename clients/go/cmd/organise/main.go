// Organise organises a match, which is the task of the conformance kit: it creates and watches the match, and reads its
// result and record.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"referee.example/referee"
)

func main() {
	if err := organise(context.Background()); err != nil {
		var rejection *referee.Error
		if errors.As(err, &rejection) {
			fmt.Fprintln(os.Stderr, rejection.Reason)
		} else {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

func organise(ctx context.Context) error {
	client, err := referee.NewClient(referee.WithEnvironment(os.Getenv))
	if err != nil {
		return err
	}
	defer client.Close()
	terms := referee.MatchTerms{Game: "alquerque", Clock: referee.SuddenDeath(time.Minute), Title: "conformance"}
	match, err := client.CreateMatch(ctx, terms, "anna", "bert")
	if err != nil {
		return err
	}
	for entry, err := range client.Watch(ctx, match.ID, 0) {
		if err != nil {
			return err
		}
		fmt.Println("entry", entry.Number)
	}
	if match, err = client.Match(ctx, match.ID); err != nil {
		return err
	}
	if match.Result != nil {
		kinds := map[referee.ResultKind]string{
			referee.Played: "played", referee.Forfeited: "forfeited", referee.Void: "voided",
		}
		fmt.Println("result", kinds[match.Result.Kind])
	}
	record, err := client.Record(ctx, match.ID)
	if err != nil {
		return err
	}
	fmt.Println("record", strings.Count(record, "\n"))
	return nil
}
