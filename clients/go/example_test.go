package referee_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"referee.example/referee"
)

// first plays the first legal move.
func first(_ context.Context, turn *referee.Turn) (referee.Answer, error) {
	return referee.Move(turn.LegalMoves[0]), nil
}

// A bot connects with settings of its own, and plays until it is interrupted.
func ExamplePlay() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := referee.Play(ctx, referee.BotFunc(first),
		referee.WithAddress("referee.example:7700"),
		referee.WithToken(os.Getenv("MY_TOKEN")),
		referee.WithGames("alquerque"),
	)
	if rejected := (*referee.RejectedError)(nil); errors.As(err, &rejected) && rejected.Err.Reason == "BAD_TOKEN" {
		log.Print("the token was replaced")
	}
}

// A bot is tested with turns that the test makes.
func ExampleBotFunc() {
	turn := &referee.Turn{Game: "alquerque", LegalMoves: []string{"c2-c3", "d2-d3"}}
	answer, err := referee.BotFunc(first).Choose(context.Background(), turn)
	fmt.Println(answer, err)
	// Output: c2-c3 <nil>
}

// counter plays one seat of one match, and counts its turns.
type counter struct{ turns int }

func (c *counter) Started(_ context.Context, match *referee.Match, seat int) {
	fmt.Println("started", match.ID, "as", match.SeatNames[seat])
}

func (c *counter) Choose(_ context.Context, turn *referee.Turn) (referee.Answer, error) {
	c.turns++
	if len(turn.DrawOffers) > 0 {
		return referee.AcceptDraw(), nil
	}
	return referee.Move(turn.LegalMoves[0]), nil
}

func (c *counter) Ended(_ context.Context, end *referee.End) {
	fmt.Println("ended", end.MatchID, "after", c.turns, "turns:", end.Result.Reason)
}

// A bot that keeps something for each match is an object per seat.
func ExamplePerSeat() {
	bot := referee.PerSeat(func() referee.Bot { return &counter{} })
	err := referee.Play(context.Background(), bot, referee.WithEnvironment(os.Getenv))
	fmt.Println(err)
}

// An organiser registers a bot, lets it play against itself, and watches.
func ExampleClient() {
	ctx := context.Background()
	client, err := referee.NewClient(referee.WithEnvironment(os.Getenv))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	token, err := client.RegisterBot(ctx, "anna", "plays whatever comes first")
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		options := []referee.Option{referee.WithEnvironment(os.Getenv), referee.WithToken(token)}
		log.Print(referee.Play(ctx, referee.BotFunc(first), options...))
	}()
	terms := referee.MatchTerms{Game: "alquerque", Clock: referee.Fischer(time.Minute, time.Second)}
	match, err := client.CreateMatch(ctx, terms, "anna", "anna")
	if err != nil {
		log.Fatal(err)
	}
	for entry, err := range client.Watch(ctx, match.ID, 0) {
		if err != nil {
			log.Fatal(err)
		}
		if entry.Move != nil {
			fmt.Println(entry.Move.Seat, entry.Move.Move)
		}
	}
}

// A tournament is created with its entrants, started, and watched until it is over.
func ExampleClient_CreateTournament() {
	ctx := context.Background()
	client, err := referee.NewClient(referee.WithEnvironment(os.Getenv))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	terms := referee.TournamentTerms{Matches: referee.MatchTerms{Game: "trox"}, Format: referee.Swiss{Rounds: 5}}
	entrants := []referee.Entrant{referee.SingleBot("anna"), referee.SingleBot("bert"), referee.SingleBot("carl")}
	if _, err := client.CreateTournament(ctx, "cup", terms, entrants...); err != nil {
		log.Fatal(err)
	}
	if _, err := client.StartTournament(ctx, "cup"); err != nil {
		log.Fatal(err)
	}
	for entry, err := range client.WatchTournament(ctx, "cup", 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(entry.Number, entry.Kind)
		for _, row := range entry.Standings {
			fmt.Println(row.Rank, row.Entrant, row.Points)
		}
	}
}
