package connections

import (
	"container/list"
	"sync"
)

// idlers are the connections without an open call: those that never had one, and the others. In both lists, the one is
// first that is idle for longest.
type idlers struct {
	most         int
	mutex        sync.Mutex
	fresh, known list.List
}

// remove notes that a call of a connection has begun.
func (i *idlers) remove(peer *Peer) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.drop(peer)
	peer.calls++
	peer.known = true
}

// add notes that a call of a connection has ended, or that it is new. It returns the connection to close, if any.
func (i *idlers) add(peer *Peer) (oldest *Peer) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	peer.calls = max(0, peer.calls-1)
	if peer.calls > 0 || peer.gone {
		return nil
	}
	peer.resting = i.listOf(peer).PushBack(peer)
	if i.fresh.Len()+i.known.Len() <= i.most {
		return nil
	}
	first := i.fresh.Front()
	if first == nil {
		first = i.known.Front()
	}
	oldest = first.Value.(*Peer)
	i.drop(oldest)
	return oldest
}

func (i *idlers) listOf(peer *Peer) *list.List {
	if peer.known {
		return &i.known
	}
	return &i.fresh
}

// forget notes that a connection is closed.
func (i *idlers) forget(peer *Peer) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	peer.gone = true
	i.drop(peer)
}

func (i *idlers) drop(peer *Peer) {
	if peer.resting != nil {
		i.listOf(peer).Remove(peer.resting)
		peer.resting = nil
	}
}
