// Organise organises a match, which is the task of the conformance kit: it creates and watches the match, and reads its
// result and record.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"google.golang.org/protobuf/proto"

	"referee.example/referee"
	"referee.example/referee/refereev1"
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
	matches := refereev1.NewMatchServiceClient(client)
	clock := &refereev1.ClockRule_SuddenDeath{SuddenDeath: &refereev1.SuddenDeath{MainMs: 60_000}}
	created, err := matches.CreateMatch(ctx, &refereev1.CreateMatchRequest{
		Title: "conformance",
		Seats: []*refereev1.BotRef{{Bot: "anna"}, {Bot: "bert"}},
		Terms: &refereev1.MatchTerms{
			Rules:       &refereev1.Rules{Game: "alquerque"},
			TimeControl: &refereev1.TimeControl{Rule: &refereev1.ClockRule{Kind: clock}},
		},
	})
	if err != nil {
		return err
	}
	id := created.GetMatch().GetId()
	watch := &refereev1.WatchMatchRequest{MatchId: id, AfterNumber: proto.Uint64(0)}
	items := referee.Watch(ctx, client, matches.WatchMatch, watch, (*refereev1.WatchMatchResponse).GetItems)
	for item, err := range items {
		if err != nil {
			return err
		}
		if entry := item.GetEntry(); entry != nil {
			fmt.Println("entry", entry.GetNumber())
		}
	}
	found, err := matches.GetMatch(ctx, &refereev1.GetMatchRequest{MatchId: id})
	if err != nil {
		return err
	}
	result := found.GetMatch().GetResult()
	switch {
	case result.GetPlayed() != nil:
		fmt.Println("result played")
	case result.GetForfeited() != nil:
		fmt.Println("result forfeited")
	case result.GetVoided() != nil:
		fmt.Println("result voided")
	}
	record, err := referee.ReadAll(ctx, client, matches.GetRecord, &refereev1.GetRecordRequest{MatchId: id})
	if err != nil {
		return err
	}
	lines := 0
	for _, part := range record {
		lines += len(part.GetLines())
	}
	fmt.Println("record", lines)
	return nil
}
