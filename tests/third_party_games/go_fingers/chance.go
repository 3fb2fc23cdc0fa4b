package main

import (
	"crypto/sha256"
	"encoding/binary"
)

// A chance draws the random numbers of Referee's docs/chance.md: a seed, and how many draws have been taken from it.
type chance struct {
	seed  []byte
	drawn uint32
}

// below returns a number from 0 to n-1, and what draws the next ones.
func (from chance) below(n uint64) (uint64, chance) {
	const all = uint64(1) << 32
	for {
		block := sha256.Sum256(binary.BigEndian.AppendUint32(append([]byte{}, from.seed...), from.drawn))
		from.drawn++
		if number := uint64(binary.BigEndian.Uint32(block[:4])); number < all-all%n {
			return number % n, from
		}
	}
}
