// The program registers two bots, lets them play a match, a tournament and a ladder, watches these, and prints what it
// has seen as lines.
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
	"referee.example/referee/contract"
)

func first(_ context.Context, turn *referee.Turn) (referee.Answer, error) {
	return referee.Move(turn.LegalMoves[0]), nil
}

func main() {
	ctx, stop := context.WithCancel(context.Background())
	client, err := referee.NewClient(referee.WithEnvironment(os.Getenv))
	check(err)
	defer client.Close()
	played := make(chan error, 2)
	for _, name := range []string{"digger", "gopher"} {
		token, err := client.RegisterBot(ctx, name, "plays whatever comes first")
		check(err)
		go func() {
			environment := referee.WithEnvironment(os.Getenv)
			played <- referee.Play(ctx, referee.BotFunc(first), environment, referee.WithToken(token))
		}()
	}
	_, err = client.RegisterBot(ctx, "gopher", "again")
	printReason(err)
	playMatch(ctx, client)
	playTournament(ctx, client)
	playLadder(ctx, client)
	stop()
	fmt.Println("stopped", errors.Is(<-played, context.Canceled), errors.Is(<-played, context.Canceled))
}

var terms = referee.MatchTerms{Game: "alquerque", Clock: referee.Fischer(time.Hour, time.Second)}

func playMatch(ctx context.Context, client *referee.Client) {
	terms := terms
	terms.StartTimeout, terms.Title = 10*time.Minute, "test"
	match, err := client.CreateMatch(ctx, terms, "gopher", "digger")
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
}

func playTournament(ctx context.Context, client *referee.Client) {
	cup := referee.TournamentTerms{Title: "The cup", Matches: terms, Format: referee.RoundRobin{Cycles: 2}}
	tournament, err := client.CreateTournament(ctx, "cup", cup, referee.SingleBot("digger"))
	check(err)
	fmt.Println("tournament", tournament.Title, tournament.Game, tournament.Format == cup.Format, tournament.Phase)
	_, err = client.EnterTournament(ctx, "cup", referee.SingleBot("gopher"))
	check(err)
	_, err = client.WithdrawEntrant(ctx, "cup", "digger", "")
	check(err)
	tournament, err = client.EnterTournament(ctx, "cup", referee.SingleBot("digger"))
	check(err)
	for _, entrant := range tournament.Entrants {
		fmt.Println("entrant", entrant.Name)
	}
	tournament, err = client.StartTournament(ctx, "cup")
	check(err)
	fmt.Println("started", !tournament.Started.IsZero(), tournament.Ended.IsZero())
	entries, done := 0, 0
	var final *referee.TournamentEntry
	for entry, err := range client.WatchTournament(ctx, "cup", 0) {
		check(err)
		entries++
		if entry.Number != uint64(entries) {
			log.Fatalf("entry %d follows %d", entry.Number, entries-1)
		}
		if entry.Kind == "pairing" && entry.Pairings[0].Phase == referee.PairingDone {
			done++
		}
		final = entry
	}
	fmt.Println("ended", final.Kind, final.Phase, "pairings", done)
	standings, err := client.TournamentStandings(ctx, "cup")
	check(err)
	fmt.Println("points", standings[0].Points+standings[1].Points, standings[0].Entrant == final.Standings[0].Entrant)
	matches := 0
	for pairing, err := range client.Pairings(ctx, "cup", referee.PairingFilter{Entrant: "digger"}) {
		check(err)
		matches += len(pairing.MatchIDs)
	}
	fmt.Println("matches", matches)
	table, err := client.ExportTournament(ctx, "cup", referee.ExportCSV)
	check(err)
	record, err := client.TournamentRecord(ctx, "cup")
	check(err)
	fmt.Println("export", strings.Count(table, "\n"), "record", strings.Count(record, "\n") >= entries)
	filter := referee.TournamentFilter{Game: "alquerque", Phase: referee.TournamentFinished}
	for listed, err := range client.Tournaments(ctx, filter) {
		check(err)
		fmt.Println("listed", listed.Name, listed.Phase)
	}
	_, err = client.CancelTournament(ctx, "cup", "")
	printReason(err)
	correctTournament(ctx, client.Contract())
	planTournament(ctx, client.Contract())
}

// correctTournament uses calls that the client has no shorter methods for.
func correctTournament(ctx context.Context, calls referee.Contract) {
	table, err := calls.GetCrossTable(ctx, &contract.GetCrossTableRequest{Tournament: "cup"})
	check(err)
	match := table.Rows[0].Cells[0].MatchIDs[0]
	fmt.Println("cross table", len(table.Rows), len(table.Rows[0].Cells[0].MatchIDs))
	corrected, err := calls.CorrectTournamentMatch(ctx, &contract.CorrectTournamentMatchRequest{
		Tournament: "cup", MatchID: match, Kind: contract.CorrectionKindStruck, Message: "it was played by hand",
	})
	check(err)
	correction := corrected.Pairing.Corrections[0]
	fmt.Println("corrected", correction.MatchID == match, correction.Kind, correction.Message)
	for item, err := range calls.WatchTournament(ctx, &contract.WatchTournamentRequest{Tournament: "cup"}) {
		check(err)
		fmt.Println("snapshot", item.Snapshot.Tournament.Phase, len(item.Snapshot.Standings))
	}
}

func planTournament(ctx context.Context, calls referee.Contract) {
	tomorrow := time.Now().Add(24 * time.Hour).Truncate(time.Millisecond)
	planned, err := calls.CreateTournament(ctx, &contract.CreateTournamentRequest{
		Name: "league",
		Terms: &contract.TournamentTerms{
			MatchTerms: &contract.MatchTerms{
				Rules:       &contract.Rules{Game: "alquerque"},
				TimeControl: &contract.TimeControl{Rule: &contract.ClockRule{Fischer: &contract.Fischer{MainMs: 60_000}}},
			},
			Swiss:     &contract.Swiss{Rounds: 3},
			TieBreaks: []contract.TieBreak{contract.TieBreakMedianBuchholz, contract.TieBreakWins},
			Seeding:   contract.SeedingRandom,
			StartsAt:  tomorrow,
		},
	})
	check(err)
	terms := planned.Tournament.Terms
	fmt.Println("league", terms.TieBreaks, terms.Seeding, terms.Swiss.Rounds, terms.StartsAt.Equal(tomorrow))
}

func playLadder(ctx context.Context, client *referee.Client) {
	daily := referee.LadderTerms{Title: "The ladder", Matches: []referee.MatchTerms{terms}}
	ladder, err := client.CreateLadder(ctx, "daily", daily)
	check(err)
	fmt.Println("ladder", ladder.Title, ladder.Games)
	ladder, err = client.PauseLadder(ctx, "daily", "until all are here")
	check(err)
	fmt.Println("paused", ladder.Paused)
	for _, name := range []string{"digger", "gopher"} {
		standing, err := client.JoinLadder(ctx, "daily", referee.SingleBot(name))
		check(err)
		fmt.Println("joined", standing.Entrant.Name)
	}
	check(client.LeaveLadder(ctx, "daily", "digger"))
	ladder, err = client.Ladder(ctx, "daily")
	check(err)
	fmt.Println("entrants", ladder.EntrantCount)
	_, err = client.JoinLadder(ctx, "daily", referee.SingleBot("digger"))
	check(err)
	season, err := client.Contract().StartSeason(ctx, &contract.StartSeasonRequest{Ladder: "daily"})
	check(err)
	fmt.Println("season", season.Ladder.Season)
	challenge, err := client.Challenge(ctx, "daily", "gopher", "digger")
	check(err)
	ladder, err = client.ResumeLadder(ctx, "daily")
	check(err)
	fmt.Println("paused", ladder.Paused)
	entries, rated := 0, 0
	for entry, err := range client.WatchLadder(ctx, "daily", 0) {
		check(err)
		entries++
		if entry.Number != uint64(entries) {
			log.Fatalf("entry %d follows %d", entry.Number, entries-1)
		}
		if entry.Kind == "match_rated" {
			rated++
			change := entry.Ratings[0]
			if change.After.Matches != change.Before.Matches+1 {
				log.Fatalf("rating %v", change)
			}
		}
		if pairing := entry.Pairing; pairing != nil && pairing.ID == challenge.ID && pairing.Phase == referee.PairingDone {
			ladder, err = client.CloseLadder(ctx, "daily", "")
			check(err)
			fmt.Println("closed", ladder.Closed)
		}
	}
	fmt.Println("rated", rated > 0)
	for row, err := range client.LadderStandings(ctx, "daily") {
		check(err)
		fmt.Println("standing", row.Rating.Matches == rated)
	}
	record, err := client.LadderRecord(ctx, "daily")
	check(err)
	fmt.Println("record", strings.Count(record, "\n") >= entries)
	for listed, err := range client.Ladders(ctx, referee.LadderFilter{Bot: "digger", IncludeClosed: true}) {
		check(err)
		fmt.Println("listed", listed.Name, listed.EntrantCount)
	}
	_, err = client.JoinLadder(ctx, "daily", referee.SingleBot("digger"))
	printReason(err)
}

func printReason(err error) {
	if refused := (*referee.Error)(nil); errors.As(err, &refused) {
		fmt.Println("error", refused.Reason)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
