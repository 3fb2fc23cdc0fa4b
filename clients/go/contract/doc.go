// Package contract has a type for each message and enumeration of the contract, for the calls of [referee.Contract].
//
// The types belong to this client and not to a stub compiler. Their comments are those of the contract, whose names are
// those of its fields and values: `max_requested_byes` is MaxRequestedByes here. The zero value of a field is that of the
// contract; a pointer is nil and a time is zero if the contract calls a field not set.
//
// [referee.Contract]: https://pkg.go.dev/referee.example/referee#Contract
package contract

import "strconv"

// word returns the word of a value of an enumeration, and the number of one that is newer than this client.
func word(number int32, words map[int32]string) string {
	if word, known := words[number]; known {
		return word
	}
	return strconv.Itoa(int(number))
}
