package referee_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"

	"referee.example/referee"
	"referee.example/referee/refereev1"
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

// An organiser registers a bot, and lists all bots.
func ExampleClient() {
	ctx := context.Background()
	client, err := referee.NewClient(referee.WithEnvironment(os.Getenv))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	bots := refereev1.NewBotServiceClient(client)
	registered, err := bots.RegisterBot(ctx, &refereev1.RegisterBotRequest{Name: "anna"})
	if failure := (*referee.Error)(nil); errors.As(err, &failure) && failure.Reason == "NAME_TAKEN" {
		log.Print("there is a bot of this name")
	} else if err != nil {
		log.Fatal(err)
	}
	fmt.Println(registered.GetSecret())
	all := referee.Pages(ctx, bots.ListBots, &refereev1.ListBotsRequest{}, (*refereev1.ListBotsResponse).GetBots)
	for bot, err := range all {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(bot.GetName(), len(bot.GetPresence().GetSessions()) > 0)
	}
}
