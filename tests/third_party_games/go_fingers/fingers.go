package main

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Fingers: all seats show one to three fingers at once; a seat that shows a number alone scores it. Each round a secret
// bonus, drawn from the seed, is known to seat 0 only and doubles a number.

const (
	rounds    = 3
	open      = '-'
	sealed    = '?'
	referee   = -2
	spectator = -1
	form      = "it is round, scores, fingers shown, bonus and chance, as in '0 0,0,0 --- 2 00/1'"
)

var description = map[string]any{
	"protocol": 1,
	"name":     "fingers",
	"version":  1,
	"title":    "Fingers",
	"rules":    "FI-1  All show one to three fingers at once; who shows a number alone scores it.",
	"options": []any{map[string]any{
		"kind": "count", "name": "seats", "default": 3, "least": 2, "most": 4, "meaning": "How many play.",
	}},
	"notation": map[string]any{
		"move":     "A number of fingers: 1, 2 or 3.",
		"position": "0 0,0,0 --- 2 00/1: round, scores, shown, bonus, chance.",
	},
	"view_schema": map[string]any{
		"type":                 "object",
		"additionalProperties": false,
		"properties": map[string]any{
			"round":  map[string]any{"type": "integer"},
			"scores": map[string]any{"type": "array"},
			"text":   map[string]any{"type": "string"},
		},
	},
	"hides":       true,
	"hides_moves": true,
	"can":         []string{"imagine"},
}

type settings struct {
	Seats int `json:"seats"`
}

type position struct {
	round  int
	scores []int
	shown  []byte
	bonus  int
	chance chance
}

func tableOf(rules settings) any {
	seats, sides := []string{}, [][]int{}
	for seat := range rules.Seats {
		seats, sides = append(seats, fmt.Sprintf("player%d", seat)), append(sides, []int{seat})
	}
	return map[string]any{"seats": seats, "sides": sides}
}

func newPosition(rules settings, seed string) (position, error) {
	bytes, err := hex.DecodeString(seed)
	if err != nil {
		return position{}, err
	}
	bonus, chance := chance{seed: bytes}.below(3)
	return position{0, make([]int, rules.Seats), nobody(rules.Seats), int(bonus) + 1, chance}, nil
}

func nobody(seats int) []byte { return []byte(strings.Repeat(string(open), seats)) }

var shape = regexp.MustCompile(`^([0-3]) ([0-9,]+) ([123-]+) ([123]) ((?:[0-9a-f]{2})*)/(0|[1-9][0-9]{0,8})$`)
var number = regexp.MustCompile(`^(?:0|[1-9][0-9]?)$`)

func read(text string, rules settings) (position, error) {
	malformed := &refusal{Kind: "malformed_position", Sentence: form}
	found := shape.FindStringSubmatch(text)
	if found == nil || len(found[3]) != rules.Seats || !strings.ContainsRune(found[3], open) {
		return position{}, malformed
	}
	scores := strings.Split(found[2], ",")
	if len(scores) != rules.Seats {
		return position{}, malformed
	}
	at := position{shown: []byte(found[3])}
	for _, score := range scores {
		if !number.MatchString(score) {
			return position{}, malformed
		}
		points, _ := strconv.Atoi(score)
		at.scores = append(at.scores, points)
	}
	at.round, _ = strconv.Atoi(found[1])
	at.bonus, _ = strconv.Atoi(found[4])
	drawn, _ := strconv.ParseUint(found[6], 10, 32)
	at.chance.seed, _ = hex.DecodeString(found[5])
	at.chance.drawn = uint32(drawn)
	return at, nil
}

// imagine draws what the text does not show: sealed choices, the bonus and the seed of later ones.
func imagine(text string, rules settings, seed string) (position, error) {
	bytes, err := hex.DecodeString(seed)
	if err != nil {
		return position{}, err
	}
	fields, draws, drawn := strings.Split(text, " "), chance{seed: bytes}, uint64(0)
	if len(fields) != 5 {
		return read(text, rules)
	}
	for strings.ContainsRune(fields[2], sealed) {
		drawn, draws = draws.below(3)
		fields[2] = strings.Replace(fields[2], string(sealed), strconv.Itoa(int(drawn)+1), 1)
	}
	if fields[3] == string(sealed) {
		drawn, draws = draws.below(3)
		fields[3] = strconv.Itoa(int(drawn) + 1)
	}
	if fields[4] == string(sealed) {
		fields[4] = fmt.Sprintf("%x/%d", draws.seed, draws.drawn)
	}
	return read(strings.Join(fields, " "), rules)
}

func (at position) play(seat int, move string) (position, error) {
	if len(move) != 1 || move < "1" || move > "9" {
		return at, &refusal{Kind: "malformed_move", Sentence: "a move is a number of fingers: 1, 2 or 3"}
	}
	if move > "3" {
		return at, &refusal{Kind: "illegal_move", Rule: "FI-1", Sentence: "nobody shows more than three fingers"}
	}
	after := at
	after.shown = append([]byte{}, at.shown...)
	after.shown[seat] = move[0]
	if strings.ContainsRune(string(after.shown), open) {
		return after, nil
	}
	after.scores = append([]int{}, at.scores...)
	for mine, shown := range after.shown {
		if strings.Count(string(after.shown), string(rune(shown))) == 1 {
			points := int(shown - '0')
			if points == at.bonus {
				points *= 2
			}
			after.scores[mine] += points
		}
	}
	bonus, chance := at.chance.below(3)
	return position{at.round + 1, after.scores, nobody(len(at.shown)), int(bonus) + 1, chance}, nil
}

func (at position) text(viewer int) string {
	scores, shown := []string{}, []byte{}
	for seat, score := range at.scores {
		scores = append(scores, strconv.Itoa(score))
		mine := at.shown[seat]
		if mine != open && viewer != seat && viewer != referee {
			mine = sealed
		}
		shown = append(shown, mine)
	}
	bonus, draws := string(sealed), string(sealed)
	if viewer == 0 || viewer == referee {
		bonus = strconv.Itoa(at.bonus)
	}
	if viewer == referee {
		draws = fmt.Sprintf("%x/%d", at.chance.seed, at.chance.drawn)
	}
	return fmt.Sprintf("%d %s %s %s %s", at.round, strings.Join(scores, ","), shown, bonus, draws)
}

func (at position) view(viewer int) any {
	return map[string]any{"round": at.round, "scores": at.scores, "text": at.text(viewer)}
}

func (at position) visibleMove(seat int, move string) viewers {
	return at.forAll(func(viewer int) any {
		if viewer == seat {
			return move
		}
		return string(sealed)
	})
}

// forAll returns what the spectator and each seat may see.
func (at position) forAll(see func(viewer int) any) viewers {
	all := viewers{Spectator: see(spectator)}
	for seat := range at.scores {
		all.Seats = append(all.Seats, see(seat))
	}
	return all
}

func (at position) state() *state {
	told := &state{
		Position: at.text(referee),
		Owing:    []int{},
		Moves:    [][]string{},
		Standing: at.scores,
		View:     at.view(referee),
		Seen: at.forAll(func(viewer int) any {
			return map[string]any{"text": at.text(viewer), "view": at.view(viewer)}
		}),
	}
	if at.round == rounds {
		told.Outcome = &outcome{"rounds_over", at.scores, at.scores}
		return told
	}
	for seat, mine := range at.shown {
		if mine == open {
			told.Owing, told.Moves = append(told.Owing, seat), append(told.Moves, []string{"1", "2", "3"})
		}
	}
	return told
}
