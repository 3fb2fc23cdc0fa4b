package connections

import (
	"net/netip"
	"sync"
)

// budget is something of which there is so much in all, and so much for each address.
type budget struct {
	total, perAddress int
	// share is what an address may have even if others have taken all.
	share     int
	mutex     sync.Mutex
	taken     int
	byAddress map[netip.Prefix]int
}

func newBudget(total, perAddress, share int) budget {
	return budget{total: total, perAddress: perAddress, share: share, byAddress: map[netip.Prefix]int{}}
}

func (b *budget) used() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.taken
}

// take returns the function that gives the amount back, once; false: there is not so much left.
func (b *budget) take(address netip.Prefix, amount int) (release func(), ok bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	after := b.byAddress[address] + amount
	if after > b.perAddress || b.taken+amount > b.total && after > b.share {
		return nil, false
	}
	b.add(address, amount)
	return sync.OnceFunc(func() {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		b.add(address, -amount)
	}), true
}

func (b *budget) add(address netip.Prefix, amount int) {
	b.taken += amount
	if b.byAddress[address] += amount; b.byAddress[address] == 0 {
		delete(b.byAddress, address)
	}
}
